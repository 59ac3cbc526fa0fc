-- Tables for workers, runs, the steps of their traces, approvals, child runs, and the usage and budgets of models.

-- Each function contains all checks of one table, `runs` or `run_steps`. Postgres parses the text of each check again
-- for every statement that writes. With five checks per table, parsing was a quarter of the database cost of a run. The
-- functions belong to the tables and not to the state machine (libs/runs/src/sql), so a new status needs a migration
-- that replaces its function.
create schema if not exists run_machine;

create or replace function run_machine.is_sound_run(
  p_mode text, p_status text, p_has_worker boolean, p_has_wake_time boolean, p_has_ended boolean
) returns boolean language plpgsql immutable as $$
begin
  return p_mode in ('production', 'test') and case
    when p_status = 'queued' then p_has_wake_time and not p_has_worker and not p_has_ended
    when p_status = 'running' then p_has_worker and not p_has_wake_time and not p_has_ended
    when p_status = 'waiting_approval' then not (p_has_worker or p_has_wake_time or p_has_ended)
    when p_status in ('succeeded', 'handed_off', 'failed', 'cancelled') then p_has_ended and not p_has_worker and not p_has_wake_time
    else false end;
end $$;

create or replace function run_machine.is_sound_step(
  p_n integer, p_effect text, p_state text, p_has_due_time boolean, p_has_ended boolean
) returns boolean language plpgsql immutable as $$
begin
  return p_n >= 2 and coalesce(p_effect in ('read', 'idempotent', 'at_most_once'), true) and case
    when p_state in ('awaiting_approval', 'ready', 'started', 'in_doubt') then not p_has_ended
    when p_state = 'waiting' then p_has_due_time and not p_has_ended
    when p_state in ('interrupted', 'succeeded', 'failed', 'denied', 'rejected', 'simulated', 'cancelled') then p_has_ended
    else false end;
end $$;

-- One row for each worker process, so the cost of a heartbeat does not depend on the number of runs.
create table workers (
  id text not null,
  host text not null,
  pid integer not null,
  started_at timestamptz(3) not null default clock_timestamp(),
  lease_until timestamptz not null,
  constraint workers_pk primary key (id)
) with (fillfactor = 50);

-- No foreign key to the version. create_run reads the row of the version in the same statement, and versions are never
-- deleted. A foreign key would lock the row of the version for each new run, so this row would be heavily contended for
-- a busy agent.
create table runs (
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
  queue_deadline timestamptz,
  concurrency_max integer,
  concurrency_key text,
  concurrency_max_per_key integer,
  cost_partial boolean not null default false,
  -- OpenTelemetry trace of the request that created the run. Null while traces are not exported.
  traceparent text,
  -- Time at which retention purged the trace. It shows that the remaining steps are not the whole trace.
  trace_forgotten_at timestamptz,
  warnings jsonb not null default '[]',
  -- True if retention must not purge the run, because an evaluation refers to it.
  is_kept boolean not null default false,
  constraint runs_pk primary key (id),
  constraint runs_row_ck
    check (run_machine.is_sound_run(mode, status, worker_id is not null, wake_at is not null, ended_at is not null))
) with (fillfactor = 70);
create index runs_list_ix on runs (workspace_id, id);
create index runs_agent_ix on runs (agent_id, id);
create index runs_due_ix on runs (wake_at) where status = 'queued';
create index runs_owner_ix on runs (worker_id) where status = 'running';
create index runs_queue_deadline_ix on runs (queue_deadline) where status = 'queued' and attempt = 0 and queue_deadline is not null;
-- Finds open runs that were claimed at least once, of agents with a concurrency limit.
create index runs_concurrency_ix on runs (agent_id, concurrency_key)
  where ended_at is null and attempt > 0 and (concurrency_max is not null or concurrency_max_per_key is not null);
-- Finds runs that a stop suspended. Other runs have no entry.
create index runs_held_ix on runs (workspace_id, id) where status = 'queued' and wake_at = 'infinity';
create index runs_queued_ix on runs (workspace_id, id) where status = 'queued';
-- Contains only less frequent statuses, because each status in this index costs an entry for each run that gets it.
-- Most runs succeed, so a list of succeeded runs reads runs_list_ix.
create index runs_exceptional_ix on runs (workspace_id, status, id)
  where status in ('waiting_approval', 'handed_off', 'failed', 'cancelled');
create index runs_test_mode_ix on runs (workspace_id, id) where mode = 'test';
create index runs_trigger_ix on runs (workspace_id, (trigger ->> 'type'), id) where trigger ->> 'type' <> 'api';

-- No foreign key to the run. The functions that write steps hold the lock of the run, and a run is deleted together
-- with its steps.
create table run_steps (
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
  due_at timestamptz,
  cost_micros bigint,
  constraint run_steps_pk primary key (run_id, n),
  constraint run_steps_row_ck
    check (run_machine.is_sound_step(n, effect, state, due_at is not null, ended_at is not null))
);
-- Safety net: at most one attempt of a call is running at a time. An emergency stop also finds the running calls
-- through this index.
create unique index run_steps_in_flight_uq on run_steps (workspace_id, run_id, path) where state = 'started';
-- Finds model turns, so that usage reports can sum their tokens. Only a few steps are model turns.
create index run_steps_model_calls_ix on run_steps (workspace_id, run_id) where type = 'model_call';

create table approvals (
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
  -- Incremented by each edit of the request.
  request_revision integer not null default 1,
  constraint approvals_pk primary key (id),
  constraint approvals_run_fk foreign key (run_id) references runs (id),
  constraint approvals_kind_ck check (kind in ('tool_call', 'step', 'in_doubt')),
  constraint approvals_status_ck check (status in ('open', 'approved', 'rejected', 'expired', 'cancelled')),
  constraint approvals_end_ck check ((status = 'open') = (decided_at is null)),
  constraint approvals_required_ck check (required >= 1),
  constraint approvals_on_timeout_ck check (on_timeout in ('reject', 'fail', 'hand_off')),
  constraint approvals_on_reject_ck check (on_reject in ('continue', 'fail', 'hand_off'))
);
-- Safety net: a run has at most one open approval.
create unique index approvals_open_uq on approvals (run_id) where status = 'open';
create index approvals_inbox_ix on approvals (workspace_id, status, id);
create index approvals_run_ix on approvals (run_id, id);
create index approvals_expiry_ix on approvals (expires_at) where status = 'open';

-- Runs that a call of another run started.
create table child_runs (
  run_id text collate "C" not null,
  workspace_id text collate "C" not null,
  parent_run_id text collate "C" not null,
  -- Key of the call that started the run. All attempts of the call have the same key, so they start only one run.
  call_key text not null,
  -- Number of runs above this run in its chain of parents. It is 1 if no run started the parent.
  depth integer not null,
  -- open: the child run has not ended. ended: its parent has not received the result. told: the parent has received
  -- the result, or no longer needs it.
  state text not null default 'open',
  -- Budget of the calling run including its child runs, in millionths of its currency. Null if there is no limit.
  caller_budget_micros bigint,
  constraint child_runs_pk primary key (run_id),
  constraint child_runs_call_uq unique (parent_run_id, call_key),
  constraint child_runs_state_ck check (state in ('open', 'ended', 'told'))
);
create index child_runs_untold_ix on child_runs (state, run_id) where state <> 'told';

-- Usage of models for each agent and day.
create table model_usage (
  agent_id text collate "C" not null,
  -- Day in UTC.
  day date not null,
  provider text not null,
  model text not null,
  -- ISO 4217 code, or XXX if the model has no price.
  currency text not null,
  workspace_id text collate "C" not null,
  turns bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_micros bigint not null,
  -- Number of turns whose cost is unknown or only partly known.
  partial_turns bigint not null,
  constraint model_usage_pk primary key (agent_id, day, provider, model, currency)
);
create index model_usage_workspace_ix on model_usage (workspace_id, day);

-- Budget that is reserved for running turns of models.
create table budget_reservations (
  run_id text collate "C" not null,
  path text collate "C" not null,
  agent_id text collate "C" not null,
  micros bigint not null,
  constraint budget_reservations_pk primary key (run_id, path)
);
create index budget_reservations_agent_ix on budget_reservations (agent_id);
