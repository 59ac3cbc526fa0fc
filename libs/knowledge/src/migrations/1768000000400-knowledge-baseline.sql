-- Knowledge bases, their sources and syncs, and the documents with all data that is searched.

create table knowledge_bases (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  name text not null,
  description text not null default '',
  region text not null,
  settings jsonb not null,
  document_count integer not null default 0,
  chunk_count integer not null default 0,
  access_version integer not null default 1,
  last_synced_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3),
  -- `generation` is the searched generation of passages, `building` the generation that is being built. A new
  -- generation gets the number `last_generation` + 1.
  generation integer not null default 1,
  building integer,
  word_count bigint not null default 0,
  languages text[] not null default '{}',
  -- The settings with which the searched generation was built. `settings` contains the current settings.
  indexed jsonb not null,
  last_generation integer not null default 1,
  stale_generations integer[] not null default '{}',
  index_due_at timestamptz,
  index_attempt integer not null default 0,
  index_failures integer not null default 0,
  index_error jsonb,
  constraint knowledge_bases_pk primary key (id),
  constraint knowledge_bases_scope_uq unique (workspace_id, id),
  constraint knowledge_bases_workspace_fk foreign key (workspace_id) references workspaces (id),
  constraint knowledge_bases_counts_ck check (document_count >= 0 and chunk_count >= 0)
);
create unique index knowledge_bases_name_uq on knowledge_bases (workspace_id, name) where deleted_at is null;
create index knowledge_bases_index_due_ix on knowledge_bases (index_due_at) where index_due_at is not null;
create index knowledge_bases_stale_ix on knowledge_bases (id) where stale_generations <> '{}';

-- The principals that may read a base. Mail addresses are stored in lower case.
create table knowledge_grants (
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  type text collate "C" not null,
  principal text collate "C" not null,
  granted_by text not null,
  granted_at timestamptz(3) not null default clock_timestamp(),
  constraint knowledge_grants_pk primary key (workspace_id, knowledge_base_id, type, principal),
  constraint knowledge_grants_base_fk foreign key (workspace_id, knowledge_base_id)
    references knowledge_bases (workspace_id, id) on delete cascade,
  constraint knowledge_grants_type_ck check (type in ('user', 'group', 'channel', 'agent'))
);
create index knowledge_grants_principal_ix on knowledge_grants (workspace_id, type, principal);

create table knowledge_sources (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  connector text collate "C" not null,
  config jsonb not null,
  schedule jsonb not null,
  status text not null default 'pending',
  authorization_state text not null default 'not_required',
  next_sync_at timestamptz(3),
  last_sync_id text collate "C",
  document_count integer not null default 0,
  error jsonb,
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3),
  constraint knowledge_sources_pk primary key (id),
  constraint knowledge_sources_scope_uq unique (workspace_id, id),
  constraint knowledge_sources_base_fk foreign key (workspace_id, knowledge_base_id)
    references knowledge_bases (workspace_id, id),
  constraint knowledge_sources_status_ck check (status in ('pending', 'syncing', 'active', 'error', 'paused', 'deleting')),
  constraint knowledge_sources_authorization_ck check (authorization_state in ('not_required', 'authorized', 'expired')),
  constraint knowledge_sources_count_ck check (document_count >= 0),
  constraint knowledge_sources_deleted_ck check ((status = 'deleting') = (deleted_at is not null))
);
create index knowledge_sources_base_ix on knowledge_sources (workspace_id, knowledge_base_id, id);
-- Finds sources with a schedule by the time of the next sync.
create index knowledge_sources_due_ix on knowledge_sources (next_sync_at) where next_sync_at is not null;

create table knowledge_syncs (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  source_id text collate "C" not null,
  status text not null default 'queued',
  seen integer not null default 0,
  added integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  deleted integer not null default 0,
  failed integer not null default 0,
  total integer,
  failures jsonb not null default '[]',
  checkpoint jsonb,
  error jsonb,
  held_deletions integer,
  deletions_confirmed_by text,
  deletions_confirmed_at timestamptz(3),
  requested_by text,
  cancel_requested boolean not null default false,
  worker text,
  attempt integer not null default 0,
  due_at timestamptz,
  created_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  follow_up boolean not null default false,
  -- The items of the source that the sync did not read, with the reasons.
  skipped jsonb,
  constraint knowledge_syncs_pk primary key (id),
  constraint knowledge_syncs_source_fk foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id),
  constraint knowledge_syncs_status_ck
    check (status in ('queued', 'running', 'succeeded', 'completed_with_errors', 'failed', 'cancelled')),
  constraint knowledge_syncs_end_ck check ((status in ('queued', 'running')) = (ended_at is null)),
  constraint knowledge_syncs_due_ck check ((ended_at is null) = (due_at is not null)),
  constraint knowledge_syncs_worker_ck check ((status = 'running') = (worker is not null))
);
create index knowledge_syncs_source_ix on knowledge_syncs (source_id, id);
-- A source has at most one open sync (queued or running).
create unique index knowledge_syncs_open_uq on knowledge_syncs (source_id) where ended_at is null;
-- For a queued sync, `due_at` is the time at which it may start. For a running sync, `due_at` is the end of the lease.
create index knowledge_syncs_due_ix on knowledge_syncs (due_at) where due_at is not null;

-- The pages that the crawl of an open sync has found and fetched. After a crash, the crawl continues with these rows.
create table knowledge_crawl_pages (
  sync_id text collate "C" not null,
  url text collate "C" not null,
  -- Number of links from a start page to this page.
  depth integer not null,
  -- Increases in the order in which the pages were found.
  n bigint generated by default as identity,
  visited boolean not null default false,
  constraint knowledge_crawl_pages_pk primary key (sync_id, url),
  constraint knowledge_crawl_pages_sync_fk foreign key (sync_id) references knowledge_syncs (id) on delete cascade
);
create index knowledge_crawl_pages_open_ix on knowledge_crawl_pages (sync_id, n) where not visited;

-- The links of each page. A crawl needs the links of unchanged pages, because it does not download these pages again.
create table knowledge_page_links (
  source_id text collate "C" not null,
  url text collate "C" not null,
  workspace_id text collate "C" not null,
  links text[] not null,
  constraint knowledge_page_links_pk primary key (source_id, url),
  constraint knowledge_page_links_source_fk foreign key (workspace_id, source_id)
    references knowledge_sources (workspace_id, id)
);

-- Uploads as they were received. The documents of an upload source are created from these rows.
create table knowledge_uploads (
  source_id text collate "C" not null,
  -- The name of the document within its source. A document that is pushed again replaces the stored document.
  key text collate "C" not null,
  workspace_id text collate "C" not null,
  title text,
  content_type text not null,
  size integer not null,
  -- SHA-256 of the bytes, in hexadecimal.
  hash text collate "C" not null,
  content bytea not null,
  uploaded_by text not null,
  uploaded_at timestamptz(3) not null default clock_timestamp(),
  constraint knowledge_uploads_pk primary key (source_id, key),
  constraint knowledge_uploads_source_fk foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id)
);

create table knowledge_documents (
  id text collate "C" not null,
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  source_id text collate "C" not null,
  key text collate "C" not null,
  title text not null,
  url text,
  version integer not null default 1,
  content_type text not null,
  language text not null,
  hash text collate "C" not null,
  validator jsonb,
  bytes integer not null,
  chunk_count integer not null default 0,
  word_count integer not null default 0,
  seen_sync text collate "C",
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3),
  -- The last generation that was built in the background and contains this document, with the document's numbers of
  -- passages and words in that generation.
  built_generation integer,
  built_chunks integer not null default 0,
  built_words integer not null default 0,
  -- The version of the text extraction that read the document.
  read_version integer,
  constraint knowledge_documents_pk primary key (id),
  constraint knowledge_documents_scope_uq unique (workspace_id, id),
  constraint knowledge_documents_base_fk foreign key (workspace_id, knowledge_base_id)
    references knowledge_bases (workspace_id, id),
  constraint knowledge_documents_source_fk foreign key (workspace_id, source_id)
    references knowledge_sources (workspace_id, id),
  constraint knowledge_documents_counts_ck check (bytes >= 0 and chunk_count >= 0 and word_count >= 0)
) with (fillfactor = 80);
create unique index knowledge_documents_key_uq on knowledge_documents (source_id, key) where deleted_at is null;
create index knowledge_documents_list_ix on knowledge_documents (knowledge_base_id, id) where deleted_at is null;
create index knowledge_documents_source_ix on knowledge_documents (source_id, id) where deleted_at is null;
create index knowledge_documents_deleted_ix on knowledge_documents (deleted_at) where deleted_at is not null;

-- Texts have a separate table, because a sync updates the row of each document that it has seen. This update must not
-- rewrite the text.
create table knowledge_texts (
  document_id text collate "C" not null,
  workspace_id text collate "C" not null,
  body text not null,
  constraint knowledge_texts_pk primary key (document_id),
  constraint knowledge_texts_document_fk foreign key (workspace_id, document_id)
    references knowledge_documents (workspace_id, id) on delete cascade
);

-- The passages that are searched.
create table knowledge_chunks (
  document_id text collate "C" not null,
  generation integer not null,
  n integer not null,
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  heading text not null,
  body text not null,
  start_offset integer not null,
  end_offset integer not null,
  tokens integer not null,
  words integer not null,
  language text not null,
  search tsvector not null,
  constraint knowledge_chunks_pk primary key (document_id, generation, n),
  constraint knowledge_chunks_document_fk foreign key (workspace_id, document_id)
    references knowledge_documents (workspace_id, id) on delete cascade,
  constraint knowledge_chunks_offsets_ck check (0 <= start_offset and start_offset < end_offset)
);
-- In `search`, each passage has a special word for its knowledge base and generation. Therefore one index serves all
-- bases, and a search reads only the index entries of its base.
create index knowledge_chunks_search_ix on knowledge_chunks using gin (search);

-- One row for each passage of a base with an embedding model, written with the passage. The vector follows later.
create table knowledge_vectors (
  document_id text collate "C" not null,
  generation integer not null,
  n integer not null,
  workspace_id text collate "C" not null,
  knowledge_base_id text collate "C" not null,
  -- One bit for each dimension: 1 if the component is positive, otherwise 0. A search first compares bits, and then
  -- compares the vectors of the best candidates.
  bits bit varying,
  -- The vector, scaled to length 1, as 32-bit numbers in little-endian order.
  vector bytea,
  -- The reason why the embedding provider rejects the passage. Only keyword search finds such a passage.
  refusal text,
  constraint knowledge_vectors_pk primary key (document_id, generation, n),
  constraint knowledge_vectors_chunk_fk foreign key (document_id, generation, n)
    references knowledge_chunks (document_id, generation, n) on delete cascade,
  constraint knowledge_vectors_whole_ck check ((bits is null) = (vector is null))
) with (fillfactor = 70);
-- Stores vectors outside the row, so that a scan of the bits does not read them. Vectors are not compressed, because
-- compression would not make them smaller.
alter table knowledge_vectors alter column vector set storage external;
create index knowledge_vectors_waiting_ix on knowledge_vectors (knowledge_base_id, generation, document_id, n)
  where bits is null and refusal is null;
create index knowledge_vectors_base_ix on knowledge_vectors (knowledge_base_id, generation);

-- For each word, the number of passages of a generation that contain the word. Ranking derives the weights of words
-- from these numbers. Corrections of misspelt words are looked up in this table.
create table knowledge_words (
  knowledge_base_id text collate "C" not null,
  generation integer not null,
  word text collate "C" not null,
  -- Number of passages that contain the word. Includes passages of deleted documents until they are purged.
  passages integer not null,
  constraint knowledge_words_pk primary key (knowledge_base_id, generation, word),
  constraint knowledge_words_base_fk foreign key (knowledge_base_id) references knowledge_bases (id)
) with (fillfactor = 70);

-- pg_trgm and btree_gin are part of PostgreSQL and trusted, so the owner of a database may create them. If a server
-- does not allow this, misspelt words are not corrected, but everything else works.
do $$ begin
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
  create index knowledge_words_similar_ix on knowledge_words using gin (knowledge_base_id, generation, word gin_trgm_ops);
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise warning 'Misspelt words will not be corrected: the extensions pg_trgm and btree_gin cannot be created (%).', sqlerrm;
end $$;

-- pgvector provides the vector index for large bases. Without pgvector, a search compares all vectors of the base.
do $$ begin
  create extension if not exists vector;
exception when insufficient_privilege or undefined_file or feature_not_supported then null;
end $$;

-- Foreign keys of tables that the baseline of libs/connections creates.
alter table knowledge_authorizations add constraint knowledge_authorizations_base_fk
  foreign key (workspace_id, knowledge_base_id) references knowledge_bases (workspace_id, id);
alter table knowledge_source_tokens add constraint knowledge_source_tokens_source_fk
  foreign key (workspace_id, source_id) references knowledge_sources (workspace_id, id);
