import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processes of the previous release ignore it. */
export class AnsweredInputRequests1795958000000 implements MigrationInterface {
  readonly name = 'AnsweredInputRequests1795958000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table approvals add asked_revision integer');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table approvals drop asked_revision');
  }
}
