-- The event outbox, the endpoints of subscribers, the messages that they receive, and the deliveries of these messages.

-- The outbox. The transaction that causes an event writes its row.
create table events (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  run_id text collate "C",
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint events_pk primary key (id)
);
-- Safety net: each run has at most one `run.completed` event.
create unique index events_run_completed_uq on events (run_id) where type = 'run.completed';
-- Safety net: each approval has at most one event that requests it.
create unique index events_approval_requested_uq on events ((data ->> 'approval')) where type = 'run.approval_requested';
-- Indexes for GET /events, which lists all events, the events of an agent, or the events of a type. Most events are
-- `run.completed`, so the index of types omits that type.
create index events_list_ix on events (workspace_id, id);
create index events_agent_ix on events (workspace_id, (data ->> 'agent'), id);
create index events_type_ix on events (workspace_id, type, id) where type <> 'run.completed';

create table webhook_endpoints (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  url text not null,
  description text not null default '',
  events text[] not null,
  agents text[],
  status text not null default 'enabled',
  disabled_reason text,
  failing_since timestamptz(3),
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  constraint webhook_endpoints_pk primary key (id),
  constraint webhook_endpoints_workspace_fk foreign key (workspace_id) references workspaces (id),
  constraint webhook_endpoints_status_ck check (status in ('enabled', 'disabled')),
  constraint webhook_endpoints_reason_ck check ((status = 'enabled') = (disabled_reason is null)),
  constraint webhook_endpoints_previous_ck check ((previous_secret is null) = (previous_secret_expires_at is null))
);
create index webhook_endpoints_list_ix on webhook_endpoints (workspace_id, id);

-- The redacted state of the subject of an event, from which its message is rendered. Events without a subscriber
-- have no row.
create table webhook_messages (
  event_id text collate "C" not null,
  workspace_id text collate "C" not null,
  -- Null if the subject did not exist when the transaction committed.
  snapshot json,
  occurred_at timestamptz(3) not null,
  constraint webhook_messages_pk primary key (event_id)
);

-- There is no foreign key to the endpoint. It would lock the row of the endpoint for each delivery, so transactions
-- would wait for each other. The deletion of an endpoint could also fail the transaction that ends a run.
create table webhook_deliveries (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  next_at timestamptz default clock_timestamp(),
  last_attempt_at timestamptz(3),
  response_status integer,
  response_excerpt text,
  latency_ms integer,
  error text,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint webhook_deliveries_pk primary key (id),
  constraint webhook_deliveries_event_uq unique (event_id, endpoint_id),
  constraint webhook_deliveries_message_fk foreign key (event_id) references webhook_messages (event_id) on delete cascade,
  constraint webhook_deliveries_status_ck check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  constraint webhook_deliveries_next_ck check ((status = 'pending') = (next_at is not null))
) with (fillfactor = 70);
create index webhook_deliveries_list_ix on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_due_ix on webhook_deliveries (endpoint_id, next_at) where status = 'pending';

-- The deliveries that a sender has claimed. Claims have their own table, because a claim in webhook_deliveries would
-- write an entry into each index of that table. Rows live for milliseconds and are updated in place, so the fill factor
-- is low.
create table webhook_claims (
  endpoint_id text collate "C" not null,
  sender text not null,
  until timestamptz not null,
  workspace_id text collate "C" not null,
  -- Claimed deliveries whose result is not recorded yet.
  deliveries text[] not null,
  constraint webhook_claims_pk primary key (endpoint_id, sender, until)
) with (fillfactor = 50);
