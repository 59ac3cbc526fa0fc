import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ChildrenOfRun1795941500000 implements MigrationInterface {
  readonly name = 'ChildrenOfRun1795941500000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('drop index concurrently if exists child_runs_parent_ix');
    await queryRunner.query('create index concurrently child_runs_parent_ix on child_runs (parent_run_id, run_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index child_runs_parent_ix');
  }
}
