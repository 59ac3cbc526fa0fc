import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AgentChanges1796600000000 implements MigrationInterface {
  readonly name = 'AgentChanges1796600000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table agents add change_xid bigint');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop trigger if exists agents_stamp_change on agents');
    await queryRunner.query('alter table agents drop change_xid');
  }
}
