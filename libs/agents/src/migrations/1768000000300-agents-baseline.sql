-- Agents, their versions, and the records that decide which version is in production: evaluations and promotions.

create table agents (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  name text not null,
  description text not null default '',
  labels jsonb not null default '{}',
  status text not null default 'active',
  production_version integer not null,
  latest_version integer not null,
  -- The service compares a received secret with this hash. It verifies signatures with the sealed `webhook_secret`.
  webhook_secret_hash bytea not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  -- For an archived agent: until this time, workers cancel runs that were accepted during the archiving.
  sweep_until timestamptz,
  webhook_secret bytea,
  previous_webhook_secret bytea,
  previous_webhook_secret_hash bytea,
  previous_webhook_secret_expires_at timestamptz(3),
  constraint agents_pk primary key (id),
  constraint agents_scope_uq unique (workspace_id, id),
  constraint agents_workspace_fk foreign key (workspace_id) references workspaces (id),
  constraint agents_status_ck check (status in ('active', 'paused', 'archived')),
  constraint agents_versions_ck check (production_version between 1 and latest_version),
  constraint agents_previous_webhook_secret_ck
    check ((previous_webhook_secret_hash is null) = (previous_webhook_secret_expires_at is null))
);
create unique index agents_name_uq on agents (workspace_id, name) where status <> 'archived';
create index agents_sweep_ix on agents (sweep_until) where sweep_until is not null;

create table agent_versions (
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
);

-- Descriptions that the servers of `openapi` and `mcp` tools returned when the version was created.
create table agent_version_tools (
  agent_id text collate "C" not null,
  version integer not null,
  tool text not null,
  workspace_id text collate "C" not null,
  description jsonb not null,
  described_at timestamptz(3) not null default clock_timestamp(),
  constraint agent_version_tools_pk primary key (agent_id, version, tool),
  constraint agent_version_tools_version_fk foreign key (agent_id, version) references agent_versions (agent_id, version)
);

create table agent_promotions (
  agent_id text collate "C" not null,
  n integer not null,
  workspace_id text collate "C" not null,
  version integer not null,
  previous_version integer not null,
  evaluation_id text collate "C",
  promoted_by text not null,
  promoted_at timestamptz(3) not null default clock_timestamp(),
  constraint agent_promotions_pk primary key (agent_id, n),
  constraint agent_promotions_agent_fk foreign key (workspace_id, agent_id) references agents (workspace_id, id),
  constraint agent_promotions_n_ck check (n >= 1),
  constraint agent_promotions_change_ck check (version <> previous_version)
);
create index agent_promotions_version_ix on agent_promotions (agent_id, version);

create table evaluations (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  agent_id text collate "C" not null,
  version integer not null,
  baseline_version integer,
  status text not null default 'queued',
  cases jsonb not null default '{}',
  pass_rate double precision,
  confidence_low double precision,
  gate jsonb,
  cost_micros bigint not null default 0,
  currency text not null,
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  settled boolean not null default false,
  looked_at timestamptz not null default clock_timestamp(),
  constraint evaluations_pk primary key (id),
  constraint evaluations_agent_fk foreign key (workspace_id, agent_id) references agents (workspace_id, id),
  constraint evaluations_status_ck check (status in ('queued', 'running', 'passed', 'failed', 'inconclusive', 'errored', 'cancelled')),
  constraint evaluations_end_ck check ((status in ('queued', 'running')) = (ended_at is null)),
  constraint evaluations_settled_ck check (not settled or ended_at is not null)
);
create index evaluations_version_ix on evaluations (agent_id, version, id);
-- The service also checks this rule: a version has at most one open evaluation.
create unique index evaluations_open_uq on evaluations (agent_id, version) where ended_at is null;
create index evaluations_due_ix on evaluations (looked_at) where not settled;
