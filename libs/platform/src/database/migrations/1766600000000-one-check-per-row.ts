import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What must be true of a row of `runs` and of `run_steps`, asked by one function each instead of by five checks. Postgres reads the
 * text of each check again for every statement that writes: of what a run cost the database that was a quarter.
 *
 * The functions belong to the tables and not to the state machine (libs/runs/src/sql): another status is another migration, which
 * replaces the function before anybody writes it.
 *
 * Outside of a transaction: the rows that are there are read while everybody goes on.
 */
export class OneCheckPerRow1766600000000 implements MigrationInterface {
  readonly name = 'OneCheckPerRow1766600000000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create schema if not exists run_machine');
    for (const statement of ROW_CHECKS.flatMap(replacing)) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of ROW_CHECKS.flatMap(restoring)) await queryRunner.query(statement);
  }
}

interface RowCheck {
  table: string;
  check: string;
  condition: string;
  signature: string;
  definition: string;
  /** The checks that it stands for, by their names. */
  former: Readonly<Record<string, string>>;
}

const RUNS: RowCheck = {
  table: 'runs',
  check: 'runs_row_ck',
  condition: 'run_machine.is_sound_run(mode, status, worker_id is not null, wake_at is not null, ended_at is not null)',
  signature: 'run_machine.is_sound_run(text, text, boolean, boolean, boolean)',
  definition: `create or replace function run_machine.is_sound_run(
    p_mode text, p_status text, p_has_worker boolean, p_has_wake_time boolean, p_has_ended boolean
  ) returns boolean language plpgsql immutable as $$
  begin
    return p_mode in ('production', 'test') and case
      when p_status = 'queued' then p_has_wake_time and not p_has_worker and not p_has_ended
      when p_status = 'running' then p_has_worker and not p_has_wake_time and not p_has_ended
      when p_status = 'waiting_approval' then not (p_has_worker or p_has_wake_time or p_has_ended)
      when p_status in ('succeeded', 'handed_off', 'failed', 'cancelled') then p_has_ended and not p_has_worker and not p_has_wake_time
      else false end;
  end $$`,
  former: {
    runs_status_ck: `status in ('queued', 'running', 'waiting_approval', 'succeeded', 'handed_off', 'failed', 'cancelled')`,
    runs_mode_ck: `mode in ('production', 'test')`,
    runs_owner_ck: `(status = 'running') = (worker_id is not null)`,
    runs_wake_ck: `(status = 'queued') = (wake_at is not null)`,
    runs_end_ck: `(status in ('succeeded', 'handed_off', 'failed', 'cancelled')) = (ended_at is not null)`,
  },
};

const STEPS: RowCheck = {
  table: 'run_steps',
  check: 'run_steps_row_ck',
  condition: 'run_machine.is_sound_step(n, effect, state, due_at is not null, ended_at is not null)',
  signature: 'run_machine.is_sound_step(integer, text, text, boolean, boolean)',
  definition: `create or replace function run_machine.is_sound_step(
    p_n integer, p_effect text, p_state text, p_has_due_time boolean, p_has_ended boolean
  ) returns boolean language plpgsql immutable as $$
  begin
    return p_n >= 2 and coalesce(p_effect in ('read', 'idempotent', 'at_most_once'), true) and case
      when p_state in ('awaiting_approval', 'ready', 'started', 'in_doubt') then not p_has_ended
      when p_state = 'waiting' then p_has_due_time and not p_has_ended
      when p_state in ('interrupted', 'succeeded', 'failed', 'denied', 'rejected', 'simulated', 'cancelled') then p_has_ended
      else false end;
  end $$`,
  former: {
    run_steps_n_ck: 'n >= 2',
    run_steps_effect_ck: `effect in ('read', 'idempotent', 'at_most_once')`,
    run_steps_state_ck: `state in ('awaiting_approval', 'ready', 'started', 'interrupted', 'in_doubt', 'succeeded', 'failed', 'denied', 'rejected', 'simulated', 'cancelled', 'waiting')`,
    run_steps_end_ck: `(state in ('awaiting_approval', 'ready', 'started', 'in_doubt', 'waiting')) = (ended_at is null)`,
    run_steps_due_ck: `state <> 'waiting' or due_at is not null`,
  },
};

/** Exported for its tests. */
export const ROW_CHECKS: readonly RowCheck[] = [RUNS, STEPS];

/** What was given up half way may be started again. */
const replacing = ({ table, check, condition, definition, former }: RowCheck): string[] => [
  definition,
  `alter table ${table} drop constraint if exists ${check}`,
  `alter table ${table} add constraint ${check} check (${condition}) not valid`,
  'set statement_timeout = 0',
  `alter table ${table} validate constraint ${check}`,
  'reset statement_timeout',
  ...Object.keys(former).map((name) => `alter table ${table} drop constraint if exists ${name}`),
];

const restoring = ({ table, check, signature, former }: RowCheck): string[] => [
  ...Object.entries(former).map(
    ([name, condition]) => `alter table ${table} add constraint ${name} check (${condition})`,
  ),
  `alter table ${table} drop constraint ${check}`,
  `drop function ${signature}`,
];
