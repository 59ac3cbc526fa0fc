import type { MigrationInterface, QueryRunner } from 'typeorm';

/** They contain only failed runs and replays. Filters by columns that never change use listed_runs. */
export class RunFilters1795488100000 implements MigrationInterface {
  readonly name = 'RunFilters1795488100000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('set statement_timeout = 0');
    await queryRunner.query('drop index concurrently if exists runs_error_ix');
    await queryRunner.query(
      `create index concurrently runs_error_ix on runs (workspace_id, (error ->> 'code'), id) where error is not null`,
    );
    await queryRunner.query('drop index concurrently if exists runs_replay_ix');
    await queryRunner.query(
      'create index concurrently runs_replay_ix on runs (replay_of, id) where replay_of is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index runs_error_ix');
    await queryRunner.query('drop index runs_replay_ix');
  }
}
