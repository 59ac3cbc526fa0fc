import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Workers find open bulk actions by `due_at`, and their pending runs through a partial index. A result has no foreign
 * key to its run, because the caller may send ids of runs that do not exist, and retention deletes runs.
 */
export class BulkActions1795533500000 implements MigrationInterface {
  readonly name = 'BulkActions1795533500000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table bulk_actions (
      id text collate "C" not null,
      workspace_id text collate "C" not null,
      action text not null,
      mode text,
      actor text not null,
      status text not null,
      total integer not null,
      succeeded integer not null default 0,
      failed integer not null default 0,
      due_at timestamptz,
      created_at timestamptz(3) not null default clock_timestamp(),
      ended_at timestamptz(3),
      constraint bulk_actions_pk primary key (id),
      constraint bulk_actions_action_ck check (action in ('cancel', 'replay') and (action = 'replay') = (mode is not null)),
      constraint bulk_actions_status_ck check (status in ('queued', 'running', 'completed')
        and (status = 'completed') = (succeeded + failed = total)
        and (status = 'completed') = (due_at is null) and (status = 'completed') = (ended_at is not null))
    ) with (fillfactor = 70)`);
    await queryRunner.query('create index bulk_actions_due_ix on bulk_actions (due_at) where due_at is not null');
    await queryRunner.query(
      'create index bulk_actions_open_ix on bulk_actions (workspace_id) where due_at is not null',
    );
    await queryRunner.query('create index bulk_actions_ended_ix on bulk_actions (ended_at) where ended_at is not null');
    await queryRunner.query(`create table bulk_action_results (
      bulk_action_id text collate "C" not null,
      run_id text collate "C" not null,
      workspace_id text collate "C" not null,
      status text not null default 'pending',
      code text,
      replay_id text collate "C",
      constraint bulk_action_results_pk primary key (bulk_action_id, run_id),
      constraint bulk_action_results_row_ck
        check (status in ('pending', 'succeeded', 'failed') and (status = 'failed') = (code is not null))
    )`);
    await queryRunner.query(
      `create index bulk_action_results_pending_ix on bulk_action_results (bulk_action_id, run_id) where status = 'pending'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table bulk_action_results, bulk_actions');
  }
}
