import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ChangedAgents1796600000001 implements MigrationInterface {
  readonly name = 'ChangedAgents1796600000001';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index concurrently if exists agents_change_ix');
    await queryRunner.query('create index concurrently agents_change_ix on agents (workspace_id, change_xid, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index agents_change_ix');
  }
}
