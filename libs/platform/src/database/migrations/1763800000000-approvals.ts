import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Approvals, groups of approvers, waiting steps, expiry of queued runs, concurrency of an agent's runs, the audit log. */
export class Approvals1763800000000 implements MigrationInterface {
  readonly name = 'Approvals1763800000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const STATES_BEFORE = `'awaiting_approval', 'ready', 'started', 'interrupted', 'in_doubt', 'succeeded', 'failed', 'denied', 'rejected', 'simulated', 'cancelled'`;

const UP = [
  // The sealed answer of a request that may be repeated; runs need none, theirs follows from the run.
  `alter table idempotency_keys add response bytea`,
  `create table approvals (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    run_id text collate "C" not null,
    agent_id text collate "C" not null,
    version integer not null,
    n integer not null,
    kind text not null,
    tool text,
    policy text not null,
    reason text not null,
    approvers text[] not null,
    required integer not null,
    self_approval boolean not null,
    request jsonb,
    show jsonb not null default '{}',
    allowed_decisions text[] not null,
    decisions jsonb not null default '[]',
    on_timeout text not null,
    on_reject text not null,
    hand_off_to text[] not null,
    failure_is_handled boolean not null,
    status text not null default 'open',
    opened_at timestamptz(3) not null default clock_timestamp(),
    expires_at timestamptz(3) not null,
    decided_at timestamptz(3),
    constraint approvals_pk primary key (id),
    constraint approvals_run_fk foreign key (run_id) references runs (id),
    constraint approvals_kind_ck check (kind in ('tool_call', 'step', 'in_doubt')),
    constraint approvals_status_ck check (status in ('open', 'approved', 'rejected', 'expired', 'cancelled')),
    constraint approvals_end_ck check ((status = 'open') = (decided_at is null)),
    constraint approvals_required_ck check (required >= 1),
    constraint approvals_on_timeout_ck check (on_timeout in ('reject', 'fail', 'hand_off')),
    constraint approvals_on_reject_ck check (on_reject in ('continue', 'fail', 'hand_off'))
  )`,
  // Safety net: a run waits for one decision at a time.
  `create unique index approvals_open_uq on approvals (run_id) where status = 'open'`,
  `create index approvals_inbox_ix on approvals (workspace_id, status, id)`,
  `create index approvals_run_ix on approvals (run_id, id)`,
  `create index approvals_expiry_ix on approvals (expires_at) where status = 'open'`,
  `create table groups (
    workspace_id text collate "C" not null,
    name text collate "C" not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint groups_pk primary key (workspace_id, name),
    constraint groups_workspace_fk foreign key (workspace_id) references workspaces (id)
  )`,
  `create table group_members (
    workspace_id text collate "C" not null,
    group_name text collate "C" not null,
    member_id text collate "C" not null,
    constraint group_members_pk primary key (workspace_id, group_name, member_id),
    constraint group_members_group_fk foreign key (workspace_id, group_name) references groups (workspace_id, name) on delete cascade,
    constraint group_members_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id) on delete cascade
  )`,
  `create index group_members_member_ix on group_members (workspace_id, member_id)`,
  `create table audit_events (
    id text collate "C" not null,
    workspace_id text collate "C" not null,
    actor text not null,
    action text not null,
    target text,
    detail jsonb not null default '{}',
    created_at timestamptz(3) not null default clock_timestamp(),
    constraint audit_events_pk primary key (id)
  )`,
  `create index audit_events_list_ix on audit_events (workspace_id, id)`,
  `alter table runs
    add queue_deadline timestamptz,
    add concurrency_max integer,
    add concurrency_key text,
    add concurrency_max_per_key integer`,
  `create index runs_queue_deadline_ix on runs (queue_deadline) where status = 'queued' and attempt = 0 and queue_deadline is not null`,
  // Runs of agents that limit their concurrency, from their first claim to their end.
  `create index runs_concurrency_ix on runs (agent_id, concurrency_key)
    where ended_at is null and attempt > 0 and (concurrency_max is not null or concurrency_max_per_key is not null)`,
  `alter table run_steps add due_at timestamptz, drop constraint run_steps_state_ck, drop constraint run_steps_end_ck`,
  `alter table run_steps
    add constraint run_steps_state_ck check (state in (${STATES_BEFORE}, 'waiting')),
    add constraint run_steps_end_ck check ((state in ('awaiting_approval', 'ready', 'started', 'in_doubt', 'waiting')) = (ended_at is null)),
    add constraint run_steps_due_ck check (state <> 'waiting' or due_at is not null)`,
  // Safety net: exactly one request for each approval.
  `create unique index events_approval_requested_uq on events ((data ->> 'approval')) where type = 'run.approval_requested'`,
];

const DOWN = [
  `alter table idempotency_keys drop response`,
  `drop index events_approval_requested_uq`,
  `alter table run_steps drop constraint run_steps_due_ck, drop constraint run_steps_end_ck, drop constraint run_steps_state_ck`,
  `alter table run_steps drop due_at,
    add constraint run_steps_state_ck check (state in (${STATES_BEFORE})),
    add constraint run_steps_end_ck check ((state in ('awaiting_approval', 'ready', 'started', 'in_doubt')) = (ended_at is null))`,
  `drop index runs_concurrency_ix`,
  `drop index runs_queue_deadline_ix`,
  `alter table runs drop queue_deadline, drop concurrency_max, drop concurrency_key, drop concurrency_max_per_key`,
  `drop table audit_events, group_members, groups, approvals`,
];
