-- Triggers of production versions, the log of events that arrived for them, and watched mailboxes.

-- One row for each trigger of the production version of each agent. The function triggers.follow_production maintains
-- them.
create table triggers (
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
);
create index triggers_mailbox_ix on triggers (mailbox) where mailbox is not null;
-- Finds schedules by the time at which they fire. A schedule whose agent is paused or whose workspace is stopped has no
-- `due_at`.
create index triggers_due_ix on triggers (due_at) where due_at is not null;
create index triggers_schedules_ix on triggers (workspace_id, agent_id) where type = 'schedule';

-- The events that arrived, each with its outcome. The transaction that processes an event writes its row. Partitioned
-- by month, like audit_events.
create table trigger_events (
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
  constraint trigger_events_outcome_ck
    check (outcome in ('started', 'filtered', 'duplicate', 'rate_limited', 'refused', 'error')),
  constraint trigger_events_run_ck check (outcome <> 'started' or run_id is not null)
) partition by range (id);
create index trigger_events_trigger_ix on trigger_events (agent_id, trigger_id, id);
create index trigger_events_outcome_ix on trigger_events (agent_id, outcome, id);
create index trigger_events_failed_ix on trigger_events (agent_id, trigger_id, id) where outcome in ('refused', 'error');
select platform.begin_months('trigger_events');

-- Keys of processed events. A repeated event is recognised by its key.
create table trigger_receipts (
  agent_id text collate "C" not null,
  key text collate "C" not null,
  workspace_id text collate "C" not null,
  -- If not null, a repeated event must have the same fingerprint. If null, the key alone identifies the event.
  fingerprint bytea,
  -- Null if the event started no run.
  run_id text collate "C",
  expires_at timestamptz not null,
  constraint trigger_receipts_pk primary key (agent_id, key)
);
create index trigger_receipts_expiry_ix on trigger_receipts (expires_at);

-- One row for each IMAP folder that a trigger watches. The function triggers.follow_mailbox_watches maintains them.
create table mailbox_watches (
  agent_id text collate "C" not null,
  trigger_id text collate "C" not null,
  workspace_id text collate "C" not null,
  -- The account as the definition declares it. The password is a reference to a secret.
  account jsonb not null,
  -- UIDVALIDITY of the folder for which last_uid is valid (RFC 3501). Null until the folder is opened for the first
  -- time.
  uid_validity bigint,
  -- All mails up to this uid have been processed.
  last_uid bigint,
  -- Mails that the server received before this time are ignored.
  since timestamptz not null default clock_timestamp(),
  -- Time of the next attempt after a failure.
  due_at timestamptz not null default clock_timestamp(),
  worker text collate "C",
  lease_until timestamptz,
  failures integer not null default 0,
  -- Why the folder cannot be watched, if so.
  error text,
  constraint mailbox_watches_pk primary key (agent_id, trigger_id),
  constraint mailbox_watches_trigger_fk foreign key (agent_id, trigger_id) references triggers (agent_id, id) on delete cascade,
  constraint mailbox_watches_cursor_ck check ((uid_validity is null) = (last_uid is null)),
  constraint mailbox_watches_lease_ck check ((worker is null) = (lease_until is null))
);
create index mailbox_watches_due_ix on mailbox_watches (due_at);
