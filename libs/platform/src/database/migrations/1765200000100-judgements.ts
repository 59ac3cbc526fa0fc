import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a model found about runs of evaluations, where only a model can tell. */
export class Judgements1765200000100 implements MigrationInterface {
  readonly name = 'Judgements1765200000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table evaluation_trials
      add column judgements jsonb,
      add column judge_cost_micros bigint not null default 0,
      add column judged_until timestamptz`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table evaluation_trials drop column judgements, drop column judge_cost_micros, drop column judged_until',
    );
  }
}
