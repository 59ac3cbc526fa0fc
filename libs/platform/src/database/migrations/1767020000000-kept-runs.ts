import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Evaluations mark the runs that are their evidence, so that the retention of runs needs not know evaluations. */
export class KeptRuns1767020000000 implements MigrationInterface {
  name = 'KeptRuns1767020000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs add column is_kept boolean not null default false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs drop column is_kept');
  }
}
