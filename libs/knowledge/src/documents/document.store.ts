import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { READER_VERSION } from '@app/platform/extraction';
import type { IndexSettings, KnowledgeSettings } from '../bases/knowledge-settings.js';
import type { SourceScope } from './storable-document.js';
import { DOCUMENTS, type NewPassage } from './passages.js';

export interface LockedBase {
  id: string;
  generation: number;
  building: number | null;
  settings: KnowledgeSettings;
  /** Settings of the searched generation (`generation`). The generation `building` is built with `settings`. */
  indexed: IndexSettings;
  languages: string[];
}

export interface Generation {
  number: number;
  made: IndexSettings;
  /** If a passage of the same document has the same heading and text in that generation, its vector is copied. */
  vectorsOf?: number;
}

export interface NewDocument {
  id: string;
  key: string;
  title: string;
  url: string | null;
  content_type: string;
  language: string;
  hash: string;
  validator: object | null;
  bytes: number;
  body: string;
}

export interface StoredDocument {
  id: string;
  key: string;
  added: boolean;
}

export interface SeenDocument {
  key: string;
  validator?: object | null;
  read?: boolean;
}

export interface PassageCount {
  id: string;
  chunks: number;
  words: number;
}

export interface BuiltCounts {
  generation: number;
  counts: readonly PassageCount[];
}

export interface CountChange {
  documents: number;
  chunks: number;
  words: number;
  languages: readonly string[];
  embeds: boolean;
}

const LOCK_SOURCE = `select 1 from knowledge_sources
  where workspace_id = $1 and id = $2 and knowledge_base_id = $3 and deleted_at is null for no key update`;

const LOCK_BASE = `select id, generation, building, settings, indexed, languages from knowledge_bases
  where workspace_id = $1 and id = $2 and deleted_at is null for no key update`;

/**
 * Inserts new documents. Replaces a document if its hash has changed, or if a newer version of the text extraction
 * yields another text or title.
 */
const WRITE = `with incoming as materialized (
    select * from json_to_recordset($5::json) as d (id text, key text, title text, url text, content_type text, language text,
      hash text, validator jsonb, bytes integer, body text)),
  written as (
    insert into knowledge_documents as doc (id, workspace_id, knowledge_base_id, source_id, key, title, url, content_type,
        language, hash, validator, bytes, seen_sync, read_version)
      select id, $1, $2, $3, key, title, url, content_type, language, hash, validator, bytes, $4, $6 from incoming
    on conflict (source_id, key) where deleted_at is null do update set title = excluded.title, url = excluded.url,
      version = doc.version + 1, content_type = excluded.content_type, language = excluded.language, hash = excluded.hash,
      validator = excluded.validator, bytes = excluded.bytes, seen_sync = excluded.seen_sync,
      read_version = excluded.read_version, updated_at = clock_timestamp()
      where doc.hash <> excluded.hash
        or doc.read_version is distinct from excluded.read_version
          and (doc.title <> excluded.title or not exists (
            select from knowledge_texts t join incoming i on i.body = t.body where t.document_id = doc.id and i.key = excluded.key))
    returning id, key),
  texts as (
    insert into knowledge_texts as t (document_id, workspace_id, body)
      select written.id, $1, incoming.body from written join incoming using (key)
    on conflict (document_id) do update set body = excluded.body)
  select written.id, written.key, written.id = incoming.id as added from written join incoming using (key)`;

const MARK_SEEN = `update knowledge_documents doc set seen_sync = $3, validator = coalesce(known.validator, doc.validator),
    read_version = case when known.read then $5::integer else doc.read_version end
  from json_to_recordset($4::json) as known (key text, validator jsonb, read boolean)
  where doc.workspace_id = $1 and doc.source_id = $2 and doc.key = known.key and doc.deleted_at is null`;

/** Deletes the passages of documents and subtracts their words from the counts. */
const DELETE_PASSAGES = `with gone as (
    delete from knowledge_chunks where workspace_id = $1 and knowledge_base_id = $2 and document_id = any ($3::text[])
      returning generation, search),
  fewer as (
    select generation, lexeme, count(*)::integer as n from gone, unnest(search) group by generation, lexeme order by lexeme)
  update knowledge_words w set passages = greatest(0, w.passages - fewer.n) from fewer
    where w.knowledge_base_id = $2 and w.generation = fewer.generation and w.word = fewer.lexeme`;

/**
 * Each passage also gets the special word `<base id>:<generation>`. If `$5` is true, also adds a vector row for each
 * passage. If generation `$6` has a vector for the same document, heading and text, this vector is copied. A vector
 * that is not copied is null until it is computed.
 */
const ADD_PASSAGES = `with incoming as materialized (
    select p.*, setweight(to_tsvector(p.language::regconfig, p.title_words), 'A')
        || setweight(to_tsvector(p.language::regconfig, p.heading_words), 'B')
        || to_tsvector(p.language::regconfig, p.body_words)
        || setweight(to_tsvector(p.language::regconfig, p.address_words), 'C')
        || array_to_tsvector(string_to_array(p.marks, ' ')) as search
      from json_to_recordset($4::json) as p (document text, n integer, heading text, body text, "start" integer, "end" integer,
        tokens integer, words integer, language text, title_words text, heading_words text, address_words text, body_words text,
        marks text)),
  written as (
    insert into knowledge_chunks (document_id, generation, n, workspace_id, knowledge_base_id, heading, body, start_offset,
        end_offset, tokens, words, language, search)
      select document, $3::integer, n, $1, $2, heading, body, "start", "end", tokens, words, language,
        search || array_to_tsvector(array[$2::text || ':' || ($3::integer)::text]) from incoming),
  known as (
    select distinct on (c.document_id, c.heading, c.body) c.document_id, c.heading, c.body, v.bits, v.vector
      from knowledge_chunks c join knowledge_vectors v on v.document_id = c.document_id and v.generation = c.generation and v.n = c.n
      where c.document_id in (select document from incoming) and c.generation = $6::integer and v.bits is not null),
  waiting as (
    insert into knowledge_vectors (document_id, generation, n, workspace_id, knowledge_base_id, bits, vector)
      select i.document, $3::integer, i.n, $1, $2, known.bits, known.vector from incoming i
        left join known on known.document_id = i.document and known.heading = i.heading and known.body = i.body
        where $5::boolean)
  insert into knowledge_words as w (knowledge_base_id, generation, word, passages)
    select $2, $3::integer, lexeme, count(*) from incoming, unnest(search) where length(lexeme) <= 60 group by lexeme order by lexeme
  on conflict (knowledge_base_id, generation, word) do update set passages = w.passages + excluded.passages`;

const DETECTED = `select generation, substr(word, length($3) + 1) as language, passages as documents from knowledge_words
  where knowledge_base_id = $1 and generation = any ($2::integer[]) and starts_with(word, $3) and passages > 0`;

const COUNT_DOCUMENTS = `with before as (
    select id, chunk_count, word_count from knowledge_documents where workspace_id = $1 and id = any ($2::text[])),
  counted as (
    update knowledge_documents doc set chunk_count = now.chunks, word_count = now.words
      from json_to_recordset($3::json) as now (id text, chunks integer, words integer)
      where doc.workspace_id = $1 and doc.id = now.id)
  select coalesce(sum(chunk_count), 0)::integer as chunks, coalesce(sum(word_count), 0)::integer as words from before`;

const COUNT_BUILT = `update knowledge_documents doc
    set built_generation = $2, built_chunks = now.chunks, built_words = now.words
  from json_to_recordset($3::json) as now (id text, chunks integer, words integer)
  where doc.workspace_id = $1 and doc.id = now.id`;

const ADD_LANGUAGES = `update knowledge_bases
    set languages = array(select distinct unnest(languages || $3::text[]) order by 1)
  where workspace_id = $1 and id = $2 and not languages @> $3::text[]`;

const APPLY_COUNT_CHANGE = `with base as (
    update knowledge_bases set document_count = document_count + $4, chunk_count = chunk_count + $5,
        word_count = greatest(0, word_count + $6), updated_at = updated_at,
        index_due_at = case when $8::boolean then coalesce(index_due_at, clock_timestamp()) else index_due_at end,
        languages = case when languages @> $7::text[] then languages
          else array(select distinct unnest(languages || $7::text[]) order by 1) end
      where workspace_id = $1 and id = $2)
  update knowledge_sources set document_count = document_count + $4
    where workspace_id = $1 and id = $3 and $4 <> 0`;

/** Every method runs in a transaction that holds the locks of {@link lockForWriting}. */
@Injectable()
export class DocumentStore {
  /** Returns null if either is deleted. */
  async lockForWriting(
    { workspaceId, knowledgeBaseId, sourceId }: Omit<SourceScope, 'syncId'>,
    { manager }: Transaction,
  ): Promise<LockedBase | null> {
    const sources = await manager.query<unknown[]>(LOCK_SOURCE, [workspaceId, sourceId, knowledgeBaseId]);
    if (sources.length === 0) return null;
    const [base] = await manager.query<LockedBase[]>(LOCK_BASE, [workspaceId, knowledgeBaseId]);
    return base ?? null;
  }

  writeDocuments(
    scope: SourceScope,
    documents: readonly NewDocument[],
    { manager }: Transaction,
  ): Promise<StoredDocument[]> {
    const { workspaceId, knowledgeBaseId, sourceId, syncId } = scope;
    const values = [workspaceId, knowledgeBaseId, sourceId, syncId, JSON.stringify(documents), READER_VERSION];
    return manager.query(WRITE, values);
  }

  /**
   * If `read` is true, the sync has extracted the text again without a change, so the current version of the text
   * extraction is recorded.
   */
  async markSeen(
    { workspaceId, sourceId, syncId }: SourceScope,
    known: readonly SeenDocument[],
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(MARK_SEEN, [workspaceId, sourceId, syncId, JSON.stringify(known), READER_VERSION]);
  }

  /** Tells Postgres that a transaction is in use while the process computes. */
  async keepAlive({ manager }: Transaction): Promise<void> {
    await manager.query('select');
  }

  async deletePassages(
    { workspaceId, knowledgeBaseId }: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId'>,
    documents: readonly string[],
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(DELETE_PASSAGES, [workspaceId, knowledgeBaseId, documents]);
  }

  async addPassages(
    { workspaceId, knowledgeBaseId }: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId'>,
    { number, made, vectorsOf }: Generation,
    passages: readonly NewPassage[],
    { manager }: Transaction,
  ): Promise<void> {
    const embeds = made.embedding !== null;
    const values = [workspaceId, knowledgeBaseId, number, JSON.stringify(passages), embeds, vectorsOf ?? null];
    await manager.query(ADD_PASSAGES, values);
  }

  async readDetectedLanguages(
    base: string,
    generations: readonly number[],
    { manager }: Transaction,
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await manager.query<{ generation: number; language: string; documents: number }[]>(DETECTED, [
      base,
      generations,
      DOCUMENTS,
    ]);
    const first = generations.find((number) => rows.some(({ generation }) => generation === number));
    return new Map(
      rows.filter(({ generation }) => generation === first).map(({ language, documents }) => [language, documents]),
    );
  }

  async recordBuilt(workspaceId: string, { generation, counts }: BuiltCounts, { manager }: Transaction): Promise<void> {
    await manager.query(COUNT_BUILT, [workspaceId, generation, JSON.stringify(counts)]);
  }

  /** Returns the sums of the replaced numbers. */
  async recordCounts(
    workspaceId: string,
    counts: readonly PassageCount[],
    { manager }: Transaction,
  ): Promise<{ chunks: number; words: number }> {
    const ids = counts.map(({ id }) => id);
    const [before] = await manager.query<{ chunks: number; words: number }[]>(COUNT_DOCUMENTS, [
      workspaceId,
      ids,
      JSON.stringify(counts),
    ]);
    return before ?? { chunks: 0, words: 0 };
  }

  async addLanguages(
    { workspaceId, knowledgeBaseId }: Pick<SourceScope, 'workspaceId' | 'knowledgeBaseId'>,
    languages: readonly string[],
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(ADD_LANGUAGES, [workspaceId, knowledgeBaseId, languages]);
  }

  async applyCountChange(
    { workspaceId, knowledgeBaseId, sourceId }: Omit<SourceScope, 'syncId'>,
    { documents, chunks, words, languages, embeds }: CountChange,
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(APPLY_COUNT_CHANGE, [
      workspaceId,
      knowledgeBaseId,
      sourceId,
      documents,
      chunks,
      words,
      languages,
      embeds,
    ]);
  }
}
