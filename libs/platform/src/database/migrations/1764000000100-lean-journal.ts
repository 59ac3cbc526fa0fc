import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run that just succeeds does not need costs it nothing: no index entries, no foreign key check per step. */
export class LeanJournal1764000000100 implements MigrationInterface {
  readonly name = 'LeanJournal1764000000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  // Steps are written by functions that hold the lock of their run, and runs are deleted with their steps or not at all.
  `alter table run_steps drop constraint run_steps_run_fk`,
  // One index for both: the safety net against a call that is under way twice, and the calls that a stop waits for.
  `drop index run_steps_in_flight_uq, run_steps_started_ix`,
  `create unique index run_steps_in_flight_uq on run_steps (workspace_id, run_id, path) where state = 'started'`,
  // Each status change of a run wrote an entry. Most runs are queued once and succeed; running ones are few (runs_owner_ix),
  // and succeeded ones so many that a list of them is the list of all with some left out.
  `drop index runs_status_ix`,
  `create index runs_queued_ix on runs (workspace_id, id) where status = 'queued'`,
  `create index runs_exceptional_ix on runs (workspace_id, status, id)
    where status in ('waiting_approval', 'handed_off', 'failed', 'cancelled')`,
  // Nothing lists events: they are read by their id, or are the one end of a run.
  `drop index events_list_ix`,
];

const DOWN = [
  `create index events_list_ix on events (workspace_id, id)`,
  `drop index runs_exceptional_ix, runs_queued_ix`,
  `create index runs_status_ix on runs (workspace_id, status, id)`,
  `drop index run_steps_in_flight_uq`,
  `create unique index run_steps_in_flight_uq on run_steps (run_id, path) where state = 'started'`,
  `create index run_steps_started_ix on run_steps (workspace_id, started_at) where state = 'started'`,
  `alter table run_steps add constraint run_steps_run_fk foreign key (run_id) references runs (id)`,
];
