import { type Statement, Statements, type Transaction } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import type { IndexSettings, KnowledgeSettings } from '../bases/knowledge-settings.js';
import { LARGE_BASE, vectorIndexName } from '../embedding/vectors.js';
import type { ClaimedIndex } from './index-work.store.js';

export interface UnbuiltDocument {
  id: string;
  title: string;
  address: string;
  text: string;
}

export interface LockedIndex {
  generation: number;
  building: number | null;
  indexed: IndexSettings;
  settings: KnowledgeSettings;
}

const MAX_DOCUMENTS = 200;
/**
 * The last document of a batch may exceed this size, because a larger document could otherwise never be read. A batch
 * locks the knowledge base, and a request that changes the base waits at most two seconds.
 */
const MAX_BYTES = 1_000_000;

/** With this lock, each change of a document is committed either before a batch begins or after it ends. */
const LOCK = `select generation, building, indexed, settings from knowledge_bases b
  where b.workspace_id = $1 and b.id = $2 and b.index_attempt = $3 and b.deleted_at is null for no key update`;

const UNBUILT = `knowledge_documents d where d.workspace_id = $1 and d.knowledge_base_id = $2 and d.deleted_at is null
  and d.built_generation is distinct from $3::integer`;

const READ_UNBUILT = `select taken.id, taken.title, taken.address, t.body as text from (
    select id, title, coalesce(url, key) as address, sum(bytes) over (order by id) - bytes as before from (
      select d.id, d.title, d.url, d.key, d.bytes from ${UNBUILT} and d.id > $4 order by d.id limit ${MAX_DOCUMENTS}) batch) taken
  join knowledge_texts t on t.document_id = taken.id where taken.before < ${MAX_BYTES} order by taken.id`;

const IS_BUILT = `select not exists (select 1 from ${UNBUILT}) and not exists (
    select 1 from knowledge_vectors v join knowledge_documents d on d.id = v.document_id and d.deleted_at is null
      where v.workspace_id = $1 and v.knowledge_base_id = $2 and v.generation = $3 and v.bits is null and v.refusal is null)
  as built`;

const ACTIVATE = `with counted as (
    update knowledge_documents set chunk_count = built_chunks, word_count = built_words
      where workspace_id = $1 and knowledge_base_id = $2 and deleted_at is null returning chunk_count, word_count)
  update knowledge_bases b set generation = b.building, building = null, indexed = $3,
    stale_generations = array_append(b.stale_generations, b.generation),
    chunk_count = (select coalesce(sum(chunk_count), 0) from counted),
    word_count = (select coalesce(sum(word_count), 0) from counted)
  where b.workspace_id = $1 and b.id = $2`;

const IS_EMBEDDED = `select not exists (
    select 1 from knowledge_bases b join knowledge_vectors v on v.knowledge_base_id = b.id and v.generation = b.generation
      join knowledge_documents d on d.id = v.document_id and d.deleted_at is null
      where b.workspace_id = $1 and b.id = $2 and v.bits is null and v.refusal is null) as embedded`;

const FINISH = `update knowledge_bases set index_due_at = null, index_error = null, index_failures = 0
  where workspace_id = $1 and id = $2`;

const CLEAR_SOURCE_ERRORS = `update knowledge_sources set error = null,
    status = case status when 'error' then 'active' else status end
  where workspace_id = $1 and knowledge_base_id = $2 and deleted_at is null and error ->> 'code' like 'embedding%'`;

const VECTOR_DIMENSIONS: Statement = {
  name: 'knowledge_vector_index.dimensions',
  text: `select length(v.bits) as dimensions from knowledge_bases b
      join lateral (select bits from knowledge_vectors v where v.knowledge_base_id = b.id and v.generation = b.generation
        and v.bits is not null limit 1) v on true
    where b.workspace_id = $1 and b.id = $2 and b.chunk_count >= $3
      and exists (select 1 from pg_extension where extname = 'vector')`,
};

const IS_VECTOR_INDEX_VALID: Statement = {
  name: 'knowledge_vector_index.is_valid',
  text: `select i.indisvalid as valid from pg_index i where i.indexrelid = to_regclass($1)`,
};

/** If a worker dies during the build, the next worker drops the invalid index and builds a new one. */
const LOCK_VECTORS = 'select pg_try_advisory_lock(hashtext($1)) as locked';
const UNLOCK_VECTORS = 'select pg_advisory_unlock(hashtext($1))';
const DROP_VECTORS = `select format('drop index concurrently if exists %I', $1::text) as text`;
const CREATE_VECTORS = `select format('create index concurrently %I on knowledge_vectors using hnsw ((bits::bit(%s)) bit_hamming_ops)
  where length(bits) = %s', $1::text, $2::integer, $2::integer) as text`;

/** If a method has a parameter `transaction`, this transaction must hold the lock that {@link lock} takes. */
@Injectable()
export class IndexBuildRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly statements: Statements,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns undefined if another worker has claimed the base, or if the base is deleted. */
  async lock(
    { workspaceId, knowledgeBaseId, attempt }: ClaimedIndex,
    { manager }: Transaction,
  ): Promise<LockedIndex | undefined> {
    const [base] = await manager.query<LockedIndex[]>(LOCK, [workspaceId, knowledgeBaseId, attempt]);
    return base;
  }

  readUnbuilt(
    { workspaceId, knowledgeBaseId }: ClaimedIndex,
    building: number,
    after: string,
    { manager }: Transaction,
  ): Promise<UnbuiltDocument[]> {
    return manager.query(READ_UNBUILT, [workspaceId, knowledgeBaseId, building, after]);
  }

  /** Passages that the provider rejects need no vector. */
  async isBuilt(
    { workspaceId, knowledgeBaseId }: ClaimedIndex,
    building: number,
    { manager }: Transaction,
  ): Promise<boolean> {
    const [row] = await manager.query<{ built: boolean }[]>(IS_BUILT, [workspaceId, knowledgeBaseId, building]);
    return row?.built ?? false;
  }

  async activateBuilt(
    { workspaceId, knowledgeBaseId }: ClaimedIndex,
    made: IndexSettings,
    { manager }: Transaction,
  ): Promise<void> {
    // The statement updates one row for each document, which may take longer than the usual statement timeout.
    await manager.query('set local statement_timeout = 0');
    await manager.query(ACTIVATE, [workspaceId, knowledgeBaseId, JSON.stringify(made)]);
  }

  async finishIfEmbedded({ workspaceId, knowledgeBaseId }: ClaimedIndex, { manager }: Transaction): Promise<boolean> {
    const [row] = await manager.query<{ embedded: boolean }[]>(IS_EMBEDDED, [workspaceId, knowledgeBaseId]);
    if (!row?.embedded) return false;
    await manager.query(FINISH, [workspaceId, knowledgeBaseId]);
    await manager.query(CLEAR_SOURCE_ERRORS, [workspaceId, knowledgeBaseId]);
    return true;
  }

  /**
   * Creates the HNSW index over the bits of vectors if the knowledge base is large and the database has pgvector. Never
   * rejects, because searches also work without the index. Without it, a search compares all vectors of a base, which
   * is slower.
   */
  async ensureVectorIndex(
    base: Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>,
    largeBase = LARGE_BASE,
  ): Promise<void> {
    try {
      const values = [base.workspaceId, base.knowledgeBaseId, largeBase];
      const [found] = await this.statements.query<{ dimensions: number }>(VECTOR_DIMENSIONS, values);
      if (found && !(await this.vectorIndexExists(found.dimensions))) await this.createVectorIndex(found.dimensions);
    } catch (error) {
      this.logger.warn({ err: error }, 'knowledge: creating the vector index failed');
    }
  }

  private async vectorIndexExists(dimensions: number): Promise<boolean> {
    const [index] = await this.statements.query<{ valid: boolean }>(IS_VECTOR_INDEX_VALID, [
      vectorIndexName(dimensions),
    ]);
    return index?.valid ?? false;
  }

  private async createVectorIndex(dimensions: number): Promise<void> {
    const name = vectorIndexName(dimensions);
    const session = this.dataSource.createQueryRunner();
    try {
      const [row] = (await session.query(LOCK_VECTORS, [name])) as { locked: boolean }[];
      if (!row?.locked) return;
      try {
        await this.createVectorIndexIn(session, name, dimensions);
      } finally {
        await session.query(UNLOCK_VECTORS, [name]);
      }
    } finally {
      await session.release();
    }
  }

  private async createVectorIndexIn(session: QueryRunner, name: string, dimensions: number): Promise<void> {
    await session.query('set statement_timeout = 0');
    try {
      for (const [statement, values] of [
        [DROP_VECTORS, [name]],
        [CREATE_VECTORS, [name, dimensions]],
      ] as const) {
        const [row] = (await session.query(statement, [...values])) as { text: string }[];
        if (row) await session.query(row.text);
      }
    } finally {
      await session.query('reset statement_timeout');
    }
  }
}
