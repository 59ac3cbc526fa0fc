import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Workspaces, members, keys, agents, versions, runs.
 *
 * Ids are compared and sorted in byte order whatever the database's locale is (`collate "C"`): keyset pages rely on it.
 * Times that callers see are kept to the millisecond, as they are shown; due times keep full precision.
 */
export class Foundation1763700000000 implements MigrationInterface {
  readonly name = 'Foundation1763700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [...TENANCY, ...AGENTS, ...RUNS]) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'drop table events, run_steps, runs, workers, idempotency_keys, agent_versions, agents, api_keys, members, workspaces',
    );
  }
}

const TENANCY = [
  // The epoch rises at every stop and at every resume, so it is even exactly while the workspace is stopped.
  `create table workspaces (
    id text collate "C" not null,
    name text not null,
    state text not null default 'active',
    epoch bigint not null default 1,
    stopped_at timestamptz(3),
    stopped_by text,
    stop_reason text,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint workspaces_pk primary key (id),
    constraint workspaces_state_ck check (state in ('active', 'stopped')),
    constraint workspaces_epoch_ck check ((state = 'stopped') = (epoch % 2 = 0))
  )`,
  `create table members (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    email text not null,
    role text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint members_pk primary key (id),
    constraint members_email_uq unique (workspace_id, email),
    constraint members_scope_uq unique (workspace_id, id),
    constraint members_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint members_role_ck check (role in ('viewer', 'operator', 'builder', 'admin'))
  )`,
  `create table api_keys (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    member_id text collate "C" not null,
    name text not null,
    kind text not null,
    role text not null,
    scopes text[],
    hash bytea not null,
    prefix text not null,
    last_four text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    constraint api_keys_pk primary key (id),
    constraint api_keys_hash_uq unique (hash),
    constraint api_keys_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id),
    constraint api_keys_kind_ck check (kind in ('live', 'test')),
    constraint api_keys_role_ck check (role in ('viewer', 'operator', 'builder', 'admin'))
  )`,
  `create index api_keys_list_ix on api_keys (workspace_id, id)`,
];

const AGENTS = [
  `create table agents (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    name text not null,
    description text not null default '',
    labels jsonb not null default '{}',
    status text not null default 'active',
    production_version integer not null,
    latest_version integer not null,
    webhook_secret_hash bytea not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    constraint agents_pk primary key (id),
    constraint agents_scope_uq unique (workspace_id, id),
    constraint agents_workspace_fk foreign key (workspace_id) references workspaces (id),
    constraint agents_status_ck check (status in ('active', 'paused', 'archived')),
    constraint agents_versions_ck check (production_version between 1 and latest_version)
  )`,
  `create unique index agents_name_uq on agents (workspace_id, name) where status <> 'archived'`,
  `create table agent_versions (
    agent_id text collate "C" not null,
    version integer not null,
    workspace_id text collate "C" not null,
    source text not null,
    source_format text not null,
    definition jsonb not null,
    definition_hash text not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    created_by text not null,
    constraint agent_versions_pk primary key (agent_id, version),
    constraint agent_versions_agent_fk foreign key (workspace_id, agent_id) references agents (workspace_id, id),
    constraint agent_versions_version_ck check (version >= 1),
    constraint agent_versions_format_ck check (source_format in ('yaml', 'json'))
  )`,
  `create table idempotency_keys (
    workspace_id text collate "C" not null,
    endpoint text not null,
    key text not null,
    fingerprint bytea not null,
    resource_id text collate "C" not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint idempotency_keys_pk primary key (workspace_id, endpoint, key)
  )`,
  `create index idempotency_keys_age_ix on idempotency_keys (created_at)`,
];

const RUNS = [
  // One row per worker process, so a heartbeat costs the same whatever the concurrency.
  `create table workers (
    id text not null,
    host text not null,
    pid integer not null,
    started_at timestamptz(3) not null default clock_timestamp(),
    lease_until timestamptz not null,
    constraint workers_pk primary key (id)
  ) with (fillfactor = 50)`,
  // No foreign key to the version: create_run reads that row in the same statement, versions are never deleted, and the
  // share lock of a foreign key on one hot agent would be the most contended lock of the service.
  `create table runs (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    agent_id text collate "C" not null,
    version integer not null,
    mode text not null,
    trigger jsonb not null,
    input jsonb not null,
    labels jsonb not null default '{}',
    initiator text,
    replay_of text collate "C",
    status text not null default 'queued',
    output jsonb,
    error jsonb,
    cancel_reason text,
    cost_micros bigint not null default 0,
    currency text not null,
    attempt integer not null default 0,
    worker_id text,
    claim_op uuid,
    last_op uuid,
    claimed_at timestamptz,
    step_n integer not null default 1,
    recoveries integer not null default 0,
    wake_at timestamptz,
    active_ms bigint not null default 0,
    created_at timestamptz(3) not null default clock_timestamp(),
    ended_at timestamptz(3),
    constraint runs_pk primary key (id),
    constraint runs_status_ck check (status in ('queued', 'running', 'waiting_approval', 'succeeded', 'handed_off', 'failed', 'cancelled')),
    constraint runs_mode_ck check (mode in ('production', 'test')),
    constraint runs_owner_ck check ((status = 'running') = (worker_id is not null)),
    constraint runs_wake_ck check ((status = 'queued') = (wake_at is not null)),
    constraint runs_end_ck check ((status in ('succeeded', 'handed_off', 'failed', 'cancelled')) = (ended_at is not null))
  ) with (fillfactor = 70)`,
  `create index runs_list_ix on runs (workspace_id, id)`,
  `create index runs_agent_ix on runs (agent_id, id)`,
  `create index runs_status_ix on runs (workspace_id, status, id)`,
  `create index runs_due_ix on runs (wake_at) where status = 'queued'`,
  `create index runs_owner_ix on runs (worker_id) where status = 'running'`,
  `create table run_steps (
    run_id text collate "C" not null,
    n integer not null,
    workspace_id text collate "C" not null,
    path text collate "C" not null,
    try integer not null default 1,
    type text not null,
    tool text,
    scope text,
    effect text,
    state text not null,
    attempt integer not null,
    op uuid not null,
    epoch bigint not null,
    request jsonb,
    output jsonb,
    error jsonb,
    detail jsonb,
    started_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    constraint run_steps_pk primary key (run_id, n),
    constraint run_steps_run_fk foreign key (run_id) references runs (id),
    constraint run_steps_n_ck check (n >= 2),
    constraint run_steps_effect_ck check (effect in ('read', 'idempotent', 'at_most_once')),
    constraint run_steps_state_ck check (state in ('awaiting_approval', 'ready', 'started', 'interrupted', 'in_doubt', 'succeeded', 'failed', 'denied', 'rejected', 'simulated', 'cancelled')),
    constraint run_steps_end_ck check ((state in ('awaiting_approval', 'ready', 'started', 'in_doubt')) = (ended_at is null))
  )`,
  // Safety net: whatever the code above it does, one logical call of a run is never under way twice.
  `create unique index run_steps_in_flight_uq on run_steps (run_id, path) where state = 'started'`,
  `create index run_steps_started_ix on run_steps (workspace_id, started_at) where state = 'started'`,
  // The outbox: a row is written by the very transaction that makes the event true.
  `create table events (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    run_id text collate "C",
    type text not null,
    data jsonb not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint events_pk primary key (id)
  )`,
  `create index events_list_ix on events (workspace_id, id)`,
  // Safety net: exactly one logical event for the end of a run.
  `create unique index events_run_completed_uq on events (run_id) where type = 'run.completed'`,
];
