import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run that a call of another run started may spend together with its caller. */
export class CallerBudgets1765200000000 implements MigrationInterface {
  readonly name = 'CallerBudgets1765200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table child_runs add column caller_budget_micros bigint');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table child_runs drop column caller_budget_micros');
  }
}
