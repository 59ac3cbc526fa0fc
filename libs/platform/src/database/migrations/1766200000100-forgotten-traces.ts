import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the trace of a run was forgotten, so that nobody takes what is left of it for the whole. */
export class ForgottenTraces1766200000100 implements MigrationInterface {
  readonly name = 'ForgottenTraces1766200000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs add trace_forgotten_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table runs drop trace_forgotten_at');
  }
}
