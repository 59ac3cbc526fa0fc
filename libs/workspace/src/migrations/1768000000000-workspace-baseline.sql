-- Workspaces and what belongs to a workspace as the tenant: people, keys, secrets, the audit log, idempotency keys.
--
-- Conventions of all baselines:
-- * Ids are compared in byte order (`collate "C"`) in every locale of the database. Keyset pages need this order.
-- * Times that callers see are precise to the millisecond, as in the API (`timestamptz(3)`). Due times and leases have
--   full precision.
-- * The migrate step adds the row-level security policies of each table with a `workspace_id` (tenant-policies.ts).

-- Each stop and each resume raises the epoch by one: it is even while the workspace is stopped, and odd while it is
-- active.
create table workspaces (
  id text collate "C" not null,
  name text not null,
  state text not null default 'active',
  epoch bigint not null default 1,
  stopped_at timestamptz(3),
  stopped_by text,
  stop_reason text,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- Whether the stop also cancels the runs.
  cancel_runs boolean not null default false,
  resumed_at timestamptz(3),
  -- Time until which calls that started before the stop may finish.
  drain_until timestamptz,
  constraint workspaces_pk primary key (id),
  constraint workspaces_state_ck check (state in ('active', 'stopped')),
  constraint workspaces_epoch_ck check ((state = 'stopped') = (epoch % 2 = 0))
);
-- Each worker checks every few seconds whether a workspace is stopped. The index contains only stopped workspaces, so
-- it is nearly always empty.
create index workspaces_stopped_ix on workspaces (id) where state = 'stopped';

create table members (
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
);

create table groups (
  workspace_id text collate "C" not null,
  name text collate "C" not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint groups_pk primary key (workspace_id, name),
  constraint groups_workspace_fk foreign key (workspace_id) references workspaces (id)
);

create table group_members (
  workspace_id text collate "C" not null,
  group_name text collate "C" not null,
  member_id text collate "C" not null,
  constraint group_members_pk primary key (workspace_id, group_name, member_id),
  constraint group_members_group_fk foreign key (workspace_id, group_name) references groups (workspace_id, name) on delete cascade,
  constraint group_members_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id) on delete cascade
);
create index group_members_member_ix on group_members (workspace_id, member_id);

create table api_keys (
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
  -- Hash of the previous key, which stays valid for a grace time after a rotation.
  previous_hash bytea,
  previous_expires_at timestamptz(3),
  constraint api_keys_pk primary key (id),
  constraint api_keys_hash_uq unique (hash),
  constraint api_keys_previous_hash_uq unique (previous_hash),
  constraint api_keys_member_fk foreign key (workspace_id, member_id) references members (workspace_id, id),
  constraint api_keys_kind_ck check (kind in ('live', 'test')),
  constraint api_keys_role_ck check (role in ('viewer', 'operator', 'builder', 'admin')),
  constraint api_keys_previous_ck check ((previous_hash is null) = (previous_expires_at is null))
);
create index api_keys_list_ix on api_keys (workspace_id, id);

-- Keys and secrets that an earlier rotation replaced, until they expire. The key or secret that the last rotation
-- replaced is in the row of the owner. An owner is an API key, an agent or an event endpoint, so there is no foreign
-- key. The code that removes an owner also removes its rows here.
create table former_secrets (
  -- Id of the API key, agent or event endpoint.
  owner_id text collate "C" not null,
  -- Sequence number of the former secret. It increases with each rotation of the owner.
  n integer not null,
  workspace_id text collate "C" not null,
  -- SHA-256 of the text of the secret. Set only for secrets that a client presents (API keys).
  hash bytea,
  -- The text of the secret, sealed for the owner. Set only for secrets with which the service signs or verifies.
  sealed bytea,
  expires_at timestamptz(3) not null,
  constraint former_secrets_pk primary key (owner_id, n),
  constraint former_secrets_workspace_fk foreign key (workspace_id) references workspaces (id),
  constraint former_secrets_kept_ck check (hash is not null or sealed is not null)
);
create index former_secrets_hash_ix on former_secrets (hash);

-- The encryption binds the value to its row. A value that is copied to another row or workspace cannot be decrypted.
create table secrets (
  workspace_id text collate "C" not null,
  name text collate "C" not null,
  value bytea not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  updated_by text not null,
  constraint secrets_pk primary key (workspace_id, name),
  constraint secrets_workspace_fk foreign key (workspace_id) references workspaces (id)
);

-- Partitioned by month. The id is the partition key, because ids sort by time and lists are in the order of ids.
create table audit_events (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  actor text not null,
  action text not null,
  target text,
  detail jsonb not null default '{}',
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint audit_events_pk primary key (id)
) partition by range (id);
create index audit_events_list_ix on audit_events (workspace_id, id);
create index audit_events_actor_ix on audit_events (workspace_id, actor, id);
create index audit_events_action_ix on audit_events (workspace_id, action, id);
select platform.begin_months('audit_events');

create table idempotency_keys (
  workspace_id text collate "C" not null,
  endpoint text not null,
  key text not null,
  fingerprint bytea not null,
  resource_id text collate "C" not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  -- The encrypted response of a request that may be repeated. Null if the request started a run: the response is then
  -- created from the run.
  response bytea,
  constraint idempotency_keys_pk primary key (workspace_id, endpoint, key)
);
create index idempotency_keys_age_ix on idempotency_keys (created_at);
