import { type Statement, Statements, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { bitsOf, LARGE_BASE, vectorIndexName } from '../embedding/vectors.js';
import type { FoundPassage } from './found-passages.js';
import type { SearchedBase } from './passage-search.repository.js';
import { ALLOWED, principalParameters, type RunReader } from './run-reader.js';

export interface NearPassage {
  document_id: string;
  n: number;
  vector: Buffer;
}

interface FoundRow extends Omit<FoundPassage, 'document' | 'score'> {
  document_id: string;
  title: string;
  url: string | null;
  version: number;
}

const BASE = `base as materialized (
      select b.id from knowledge_bases b where b.workspace_id = $1 and b.id = $2 and b.deleted_at is null and ${ALLOWED})`;

/**
 * Checks access and deletions itself. `$1` workspace, `$2` knowledge base, `$3` to `$5` reader (run-reader.ts), `$6`
 * generation, `$7` bits of the question, `$8` number of passages.
 */
const NEAR: Statement = {
  name: 'knowledge_near_passages',
  text: `with ${BASE},
    near as materialized (
      select v.document_id, v.n, bit_count(v.bits # $7::bit varying) as distance
        from base join knowledge_vectors v on v.knowledge_base_id = base.id
          join knowledge_documents d on d.id = v.document_id
          join knowledge_sources s on s.id = d.source_id
        where v.workspace_id = $1 and v.generation = $6 and length(v.bits) = length($7::bit varying)
          and d.deleted_at is null and s.deleted_at is null
        order by distance limit $8)
    select v.document_id, v.n, v.vector from near
      join knowledge_vectors v on v.document_id = near.document_id and v.generation = $6 and v.n = near.n
      order by distance, document_id, n`,
};

/**
 * The scan ends when it has found enough passages of this knowledge base, or has read `hnsw.max_scan_tuples` vectors.
 * The caller replaces DIMENSIONS by a number, because the index needs a constant.
 */
const NEAR_BY_INDEX = `with ${BASE},
    near as materialized (
      select v.document_id, v.n, bit_count(v.bits # $7::bit varying) as distance
        from base join knowledge_vectors v on v.knowledge_base_id = base.id
        where v.workspace_id = $1 and v.generation = $6 and length(v.bits) = DIMENSIONS
          and exists (select 1 from knowledge_documents d join knowledge_sources s on s.id = d.source_id
            where d.id = v.document_id and d.deleted_at is null and s.deleted_at is null)
        order by (v.bits::bit(DIMENSIONS)) <~> $7::bit varying::bit(DIMENSIONS) limit $8)
    select v.document_id, v.n, v.vector from near
      join knowledge_vectors v on v.document_id = near.document_id and v.generation = $6 and v.n = near.n
      order by distance, document_id, n`;

const SCAN_SETTINGS = `select set_config('hnsw.ef_search', '400', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.max_scan_tuples', '100000', true)`;

/**
 * Reads the passages with the given document ids and numbers, in the given order. Excludes deleted passages and
 * passages to which access is no longer granted.
 */
const READ: Statement = {
  name: 'knowledge_read_passages',
  text: `with ${BASE}
    select d.id as document_id, d.title, d.url, d.version, c.n as chunk, c.heading, c.body as text, c.start_offset as start,
        c.end_offset as "end"
      from base, unnest($7::text[], $8::integer[]) with ordinality place (document_id, n, rank)
        join knowledge_chunks c on c.document_id = place.document_id and c.generation = $6 and c.n = place.n
        join knowledge_documents d on d.id = c.document_id
        join knowledge_sources s on s.id = d.source_id
      where c.knowledge_base_id = base.id and c.workspace_id = $1 and d.deleted_at is null and s.deleted_at is null
      order by place.rank`,
};

const DIMENSIONS: Statement = {
  name: 'knowledge_vector_dimensions',
  text: `select length(v.bits) as dimensions from knowledge_vectors v
    where v.workspace_id = $1 and v.knowledge_base_id = $2 and v.generation = $3 and v.bits is not null limit 1`,
};

const IS_INDEXED: Statement = {
  name: 'knowledge_vectors_are_indexed',
  text: 'select i.indisvalid as valid from pg_index i where i.indexrelid = to_regclass($1)',
};

type Searched = Pick<SearchedBase, 'id' | 'generation' | 'passages'>;

/** Each statement checks access and deletions itself. */
@Injectable()
export class VectorSearchRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactions: Transactions,
  ) {}

  async readDimensions(workspaceId: string, { id, generation }: Searched): Promise<number | null> {
    const [row] = await this.statements.query<{ dimensions: number }>(DIMENSIONS, [workspaceId, id, generation]);
    return row?.dimensions ?? null;
  }

  /** If the knowledge base is large and the vector index exists, uses the index. */
  async findNearest(
    workspaceId: string,
    { id, generation, passages }: Searched,
    reader: RunReader | null,
    question: Float32Array,
    limit: number,
  ): Promise<NearPassage[]> {
    const values = [workspaceId, id, ...principalParameters(reader), generation, bitsOf(question), limit];
    if (passages >= LARGE_BASE && (await this.isIndexed(question.length))) {
      const found = await this.nearByIndex(question.length, values);
      // The index contains the vectors of all knowledge bases, so the scan may find too few passages of this knowledge
      // base. In that case, all vectors of this knowledge base are compared.
      if (found.length === limit) return found;
    }
    return this.statements.query(NEAR, values);
  }

  private nearByIndex(dimensions: number, values: readonly unknown[]): Promise<NearPassage[]> {
    const text = NEAR_BY_INDEX.replaceAll('DIMENSIONS', String(dimensions));
    return this.transactions.run(async ({ manager }) => {
      await manager.query(SCAN_SETTINGS);
      return manager.query<NearPassage[]>(text, [...values]);
    });
  }

  private async isIndexed(dimensions: number): Promise<boolean> {
    const [index] = await this.statements.query<{ valid: boolean }>(IS_INDEXED, [vectorIndexName(dimensions)]);
    return index?.valid ?? false;
  }

  /** Omits passages that are deleted or that the reader may not read. */
  async readPassages(
    workspaceId: string,
    { id, generation }: Searched,
    reader: RunReader | null,
    places: readonly Pick<NearPassage, 'document_id' | 'n'>[],
  ): Promise<Omit<FoundPassage, 'score'>[]> {
    const columns = [places.map(({ document_id }) => document_id), places.map(({ n }) => n)];
    const values = [workspaceId, id, ...principalParameters(reader), generation, ...columns];
    const rows = await this.statements.query<FoundRow>(READ, values);
    return rows.map(({ document_id, title, url, version, ...passage }) => ({
      document: { id: document_id, title, url, version },
      ...passage,
    }));
  }
}
