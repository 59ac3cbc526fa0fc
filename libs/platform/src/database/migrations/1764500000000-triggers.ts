import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What starts runs besides the API: the triggers of production versions, what arrived for them, and webhook secrets. */
export class Triggers1764500000000 implements MigrationInterface {
  readonly name = 'Triggers1764500000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  // One row for each trigger of each agent's production version, kept so by run_machine.follow_production.
  `create table triggers (
    agent_id text collate "C" not null,
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    ordinal integer not null,
    type text not null,
    mailbox text collate "C",
    cron text,
    timezone text,
    overlap text,
    catch_up text,
    active_since timestamptz not null default clock_timestamp(),
    fire_at timestamptz,
    due_at timestamptz,
    last_run_id text collate "C",
    constraint triggers_pk primary key (agent_id, id),
    constraint triggers_agent_fk foreign key (workspace_id, agent_id) references agents (workspace_id, id),
    constraint triggers_type_ck check (type in ('webhook', 'email.received', 'schedule')),
    constraint triggers_mailbox_ck check ((type = 'email.received') = (mailbox is not null)),
    constraint triggers_schedule_ck check ((type = 'schedule') = (cron is not null)),
    constraint triggers_due_ck check (due_at is null or type = 'schedule')
  )`,
  `create index triggers_mailbox_ix on triggers (mailbox) where mailbox is not null`,
  // Schedules that are to be looked at, by when. One that is not to fire (its agent is paused, its workspace stopped) has left it.
  `create index triggers_due_ix on triggers (due_at) where due_at is not null`,
  `create index triggers_schedules_ix on triggers (workspace_id, agent_id) where type = 'schedule'`,
  // What arrived and what became of it: written once, by the transaction that decides.
  `create table trigger_events (
    agent_id text collate "C" not null,
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    trigger_id text collate "C" not null,
    type text not null,
    outcome text not null,
    reason text,
    errors jsonb,
    version integer,
    run_id text collate "C",
    key text,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint trigger_events_pk primary key (agent_id, id),
    constraint trigger_events_outcome_ck check (outcome in ('started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error')),
    constraint trigger_events_run_ck check (outcome <> 'started' or run_id is not null)
  )`,
  `create index trigger_events_trigger_ix on trigger_events (agent_id, trigger_id, id)`,
  `create index trigger_events_outcome_ix on trigger_events (agent_id, outcome, id)`,
  `create index trigger_events_failed_ix on trigger_events (agent_id, trigger_id, id) where outcome in ('refused', 'error')`,
  // Which events have been decided: the same one, sent again, is recognised by its key.
  `create table trigger_receipts (
    agent_id text collate "C" not null,
    key text collate "C" not null,
    workspace_id text collate "C" not null,
    fingerprint bytea,
    run_id text collate "C",
    expires_at timestamptz not null,
    constraint trigger_receipts_pk primary key (agent_id, key)
  )`,
  `create index trigger_receipts_expiry_ix on trigger_receipts (expires_at)`,
  // The hash answers whether a secret is right; the sealed text verifies signatures that were made with it.
  `alter table agents
    add webhook_secret bytea,
    add previous_webhook_secret bytea,
    add previous_webhook_secret_hash bytea,
    add previous_webhook_secret_expires_at timestamptz(3),
    add constraint agents_previous_webhook_secret_ck check ((previous_webhook_secret_hash is null) = (previous_webhook_secret_expires_at is null))`,
];

const DOWN = [
  `alter table agents
    drop constraint agents_previous_webhook_secret_ck,
    drop previous_webhook_secret_expires_at,
    drop previous_webhook_secret_hash,
    drop previous_webhook_secret,
    drop webhook_secret`,
  // The function behind them is of no use without the table; the triggers that call it go with it.
  `drop function if exists run_machine.on_agent_change() cascade`,
  `drop function if exists run_machine.on_version_insert() cascade`,
  `drop function if exists run_machine.on_workspace_resume() cascade`,
  `drop table trigger_receipts, trigger_events, triggers`,
];
