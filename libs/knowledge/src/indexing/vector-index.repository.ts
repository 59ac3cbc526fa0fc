import { Statements, type Statement } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { LARGE_BASE, vectorIndexName } from '../embedding/vectors.js';
import type { ClaimedIndex } from './index-work.store.js';

const DIMENSIONS: Statement = {
  name: 'knowledge_vector_index.dimensions',
  text: `select length(v.bits) as dimensions from knowledge_bases b
      join lateral (select bits from knowledge_vectors v where v.knowledge_base_id = b.id and v.generation = b.generation
        and v.bits is not null limit 1) v on true
    where b.workspace_id = $1 and b.id = $2 and b.chunk_count >= $3
      and exists (select 1 from pg_extension where extname = 'vector')`,
};

const IS_VALID: Statement = {
  name: 'knowledge_vector_index.is_valid',
  text: `select i.indisvalid as valid from pg_index i where i.indexrelid = to_regclass($1)`,
};

/** Only one worker builds the index. An invalid index of a dead worker is dropped and built again. */
const LOCK = 'select pg_try_advisory_lock(hashtext($1)) as locked';
const UNLOCK = 'select pg_advisory_unlock(hashtext($1))';
const DROP = `select format('drop index concurrently if exists %I', $1::text) as text`;
const CREATE = `select format('create index concurrently %I on knowledge_vectors using hnsw ((bits::bit(%s)) bit_hamming_ops)
  where length(bits) = %s', $1::text, $2::integer, $2::integer) as text`;

/**
 * The HNSW index over the bits of vectors, for large bases in a database with pgvector. All bases whose vectors have
 * the same dimensions share one. It is built concurrently; without it, searches compare all vectors of a base.
 */
@Injectable()
export class VectorIndexRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly statements: Statements,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Never rejects: searches are slower without the index, but find the same passages. */
  async ensureIndex(
    base: Pick<ClaimedIndex, 'workspaceId' | 'knowledgeBaseId'>,
    largeBase = LARGE_BASE,
  ): Promise<void> {
    try {
      const values = [base.workspaceId, base.knowledgeBaseId, largeBase];
      const [found] = await this.statements.query<{ dimensions: number }>(DIMENSIONS, values);
      if (found && !(await this.indexExists(found.dimensions))) await this.createIndex(found.dimensions);
    } catch (error) {
      this.logger.warn({ err: error }, 'knowledge: creating the vector index failed');
    }
  }

  private async indexExists(dimensions: number): Promise<boolean> {
    const [index] = await this.statements.query<{ valid: boolean }>(IS_VALID, [vectorIndexName(dimensions)]);
    return index?.valid ?? false;
  }

  private async createIndex(dimensions: number): Promise<void> {
    const name = vectorIndexName(dimensions);
    const session = this.dataSource.createQueryRunner();
    try {
      const [row] = (await session.query(LOCK, [name])) as { locked: boolean }[];
      if (row?.locked) await this.createIn(session, name, dimensions).finally(() => session.query(UNLOCK, [name]));
    } finally {
      await session.release();
    }
  }

  private async createIn(session: QueryRunner, name: string, dimensions: number): Promise<void> {
    await session.query('set statement_timeout = 0');
    try {
      for (const [statement, values] of [
        [DROP, [name]],
        [CREATE, [name, dimensions]],
      ] as const) {
        const [row] = (await session.query(statement, [...values])) as { text: string }[];
        if (row) await session.query(row.text);
      }
    } finally {
      await session.query('reset statement_timeout');
    }
  }
}
