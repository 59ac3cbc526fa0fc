import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs that were started by a call of another run. */
export class ChildRuns1764200000200 implements MigrationInterface {
  readonly name = 'ChildRuns1764200000200';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table child_runs');
  }
}

const UP = [
  `create table child_runs (
    run_id text collate "C" not null,
    workspace_id text collate "C" not null,
    parent_run_id text collate "C" not null,
    call_key text not null,
    depth integer not null,
    state text not null default 'open',
    constraint child_runs_pk primary key (run_id),
    constraint child_runs_call_uq unique (parent_run_id, call_key),
    constraint child_runs_state_ck check (state in ('open', 'ended', 'told'))
  )`,
  `create index child_runs_untold_ix on child_runs (state, run_id) where state <> 'told'`,
];
