import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ChangedRuns1795488000001 implements MigrationInterface {
  readonly name = 'ChangedRuns1795488000001';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('drop index concurrently if exists runs_change_ix');
    await queryRunner.query('create index concurrently runs_change_ix on runs (workspace_id, change_xid, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index runs_change_ix');
  }
}
