import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The documents of a base, their texts, the passages that are searched, and the words that stand in them. */
export class KnowledgeDocuments1765000000000 implements MigrationInterface {
  readonly name = 'KnowledgeDocuments1765000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  // The generation of passages that is searched, the one that is being built beside it, and what ranking has to know of all of them.
  `alter table knowledge_bases
    add generation integer not null default 1,
    add building integer,
    add word_count bigint not null default 0,
    add languages text[] not null default '{}'`,
  `create table knowledge_documents (
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
    constraint knowledge_documents_pk primary key (id),
    constraint knowledge_documents_scope_uq unique (workspace_id, id),
    constraint knowledge_documents_base_fk foreign key (workspace_id, knowledge_base_id)
      references knowledge_bases (workspace_id, id),
    constraint knowledge_documents_source_fk foreign key (workspace_id, source_id)
      references knowledge_sources (workspace_id, id),
    constraint knowledge_documents_counts_ck check (bytes >= 0 and chunk_count >= 0 and word_count >= 0)
  ) with (fillfactor = 80)`,
  `create unique index knowledge_documents_key_uq on knowledge_documents (source_id, key) where deleted_at is null`,
  `create index knowledge_documents_list_ix on knowledge_documents (knowledge_base_id, id) where deleted_at is null`,
  `create index knowledge_documents_source_ix on knowledge_documents (source_id, id) where deleted_at is null`,
  `create index knowledge_documents_deleted_ix on knowledge_documents (deleted_at) where deleted_at is not null`,
  // Apart from the document: a sync marks documents as seen, and that must not rewrite their texts.
  `create table knowledge_texts (
    document_id text collate "C" not null,
    workspace_id text collate "C" not null,
    body text not null,
    constraint knowledge_texts_pk primary key (document_id),
    constraint knowledge_texts_document_fk foreign key (workspace_id, document_id)
      references knowledge_documents (workspace_id, id) on delete cascade
  )`,
  `create table knowledge_chunks (
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
  )`,
  // Each passage carries a word for its base and generation, so one index serves all bases and a search touches its own alone.
  `create index knowledge_chunks_search_ix on knowledge_chunks using gin (search)`,
  // In how many passages of a generation a word stands: what ranking weighs words by, and where misspelt ones are looked up.
  `create table knowledge_words (
    knowledge_base_id text collate "C" not null,
    generation integer not null,
    word text collate "C" not null,
    passages integer not null,
    constraint knowledge_words_pk primary key (knowledge_base_id, generation, word),
    constraint knowledge_words_base_fk foreign key (knowledge_base_id) references knowledge_bases (id)
  ) with (fillfactor = 70)`,
  // Both extensions are part of PostgreSQL, and trusted: the owner of a database may create them. Where a server refuses all the
  // same everything works but the correction of misspelt words.
  `do $$ begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
    create index knowledge_words_similar_ix on knowledge_words using gin (knowledge_base_id, generation, word gin_trgm_ops);
  exception when insufficient_privilege or undefined_file or feature_not_supported then
    raise warning 'Misspelt words will not be corrected: the extensions pg_trgm and btree_gin cannot be created (%).', sqlerrm;
  end $$`,
];

const DOWN = [
  `drop table knowledge_words, knowledge_chunks, knowledge_texts, knowledge_documents`,
  `alter table knowledge_bases drop generation, drop building, drop word_count, drop languages`,
];
