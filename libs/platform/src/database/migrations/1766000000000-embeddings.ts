import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Vectors of passages, and what is needed to index a base anew beside the index that answers. */
export class Embeddings1766000000000 implements MigrationInterface {
  readonly name = 'Embeddings1766000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

const UP = [
  // What the generation that is searched was made with; `settings` say what is wanted. Generations are numbered and never reused.
  `alter table knowledge_bases
    add indexed jsonb,
    add last_generation integer not null default 1,
    add stale_generations integer[] not null default '{}',
    add index_due_at timestamptz,
    add index_attempt integer not null default 0,
    add index_failures integer not null default 0,
    add index_error jsonb`,
  `update knowledge_bases set indexed = jsonb_build_object('chunking', settings -> 'chunking', 'language', settings -> 'language',
    'embedding', null)`,
  `alter table knowledge_bases alter column indexed set not null`,
  // Bases that name a model were searched by words so far: they are indexed anew, with vectors.
  `update knowledge_bases set last_generation = generation + 1, building = generation + 1, index_due_at = clock_timestamp()
    where deleted_at is null and settings -> 'embedding' <> 'null'`,
  `create index knowledge_bases_index_due_ix on knowledge_bases (index_due_at) where index_due_at is not null`,
  `create index knowledge_bases_stale_ix on knowledge_bases (id) where stale_generations <> '{}'`,
  // The generation that was last made beside the one that is searched, and what came of the document in it.
  `alter table knowledge_documents
    add built_generation integer,
    add built_chunks integer not null default 0,
    add built_words integer not null default 0`,
  // A row for each passage of a base that has a model, from the moment the passage is written; the vector comes later.
  `create table knowledge_vectors (
    document_id text collate "C" not null,
    generation integer not null,
    n integer not null,
    workspace_id text collate "C" not null,
    knowledge_base_id text collate "C" not null,
    bits bit varying,
    vector bytea,
    refusal text,
    constraint knowledge_vectors_pk primary key (document_id, generation, n),
    constraint knowledge_vectors_chunk_fk foreign key (document_id, generation, n)
      references knowledge_chunks (document_id, generation, n) on delete cascade,
    constraint knowledge_vectors_whole_ck check ((bits is null) = (vector is null))
  ) with (fillfactor = 70)`,
  // Noise to a compressor, and never needed by the scan of the bits: kept apart from the row.
  `alter table knowledge_vectors alter column vector set storage external`,
  `create index knowledge_vectors_waiting_ix on knowledge_vectors (knowledge_base_id, generation, document_id, n)
    where bits is null and refusal is null`,
  `create index knowledge_vectors_base_ix on knowledge_vectors (knowledge_base_id, generation)`,
];

const DOWN = [
  `drop table knowledge_vectors`,
  `alter table knowledge_documents drop built_generation, drop built_chunks, drop built_words`,
  `alter table knowledge_bases drop indexed, drop last_generation, drop stale_generations, drop index_due_at, drop index_attempt,
    drop index_failures, drop index_error`,
];
