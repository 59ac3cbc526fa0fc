import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `ended_runs` has no index, because the end of a run appends a row and a background task reads all rows. A row of
 * `run_statistics` is one entry of a response, so a report reads as many rows as it returns.
 */
export class RunStatistics1795484300000 implements MigrationInterface {
  readonly name = 'RunStatistics1795484300000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table ended_runs (
      workspace_id text collate "C" not null,
      agent_id text collate "C" not null,
      status text not null,
      ended_at timestamptz(3) not null,
      active_ms bigint not null,
      cost_micros bigint not null,
      currency text not null
    )`);
    await queryRunner.query(`create table run_statistics (
      workspace_id text collate "C" not null,
      bucket text not null,
      group_by text not null,
      start_at timestamptz(3) not null,
      group_key text collate "C" not null,
      currency text not null,
      runs bigint not null,
      cost_micros bigint not null,
      durations jsonb not null,
      constraint run_statistics_pk primary key (workspace_id, bucket, group_by, start_at, group_key, currency),
      constraint run_statistics_bucket_ck check (bucket in ('1h', '1d')),
      constraint run_statistics_group_ck check (group_by in ('status', 'agent'))
    ) with (fillfactor = 70)`);
    await queryRunner.query('create index run_statistics_purge_ix on run_statistics (bucket, start_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table run_statistics, ended_runs');
  }
}
