-- Authorisations that people grant at a provider, and the tokens of the sources. The knowledge baseline adds the
-- foreign keys to knowledge bases and sources, because this library must not depend on `knowledge`.

-- Authorisations that a person has started and not completed. `verifier` is the encrypted PKCE verifier.
create table knowledge_authorizations (
  state_hash text collate "C" not null,
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  source_id text collate "C",
  connector text collate "C" not null,
  settings jsonb not null,
  verifier bytea not null,
  requested_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null,
  constraint knowledge_authorizations_pk primary key (state_hash)
);
create index knowledge_authorizations_base_ix on knowledge_authorizations (workspace_id, knowledge_base_id);
create index knowledge_authorizations_expired_ix on knowledge_authorizations (expires_at);

-- The encrypted tokens of a source.
create table knowledge_source_tokens (
  source_id text collate "C" not null,
  workspace_id text collate "C" not null,
  -- {access, refresh} as JSON, sealed for this row.
  tokens bytea not null,
  -- Time at which the access token expires. Null if the provider did not report it.
  expires_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_timestamp(),
  constraint knowledge_source_tokens_pk primary key (source_id)
);
