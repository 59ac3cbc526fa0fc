import { Injectable } from '@nestjs/common';
import { type IndexCounts, IndexProgressRepository } from './index-progress.repository.js';
import type { KnowledgeBaseEntity } from './knowledge-base.entity.js';

/** `building`: a new index is made beside the one that answers; `embedding`: passages wait for vectors; `failing`: neither gets on. */
export const INDEX_STATUSES = ['building', 'embedding', 'failing'] as const;

/** How far the work on the index of a base is. */
export interface IndexProgress {
  status: (typeof INDEX_STATUSES)[number];
  /** Of a new index; null where none is built. */
  documents: { done: number; total: number } | null;
  /** That have no vector yet. */
  passagesWaiting: number;
  /** What stands in the way. */
  error: { code: string; message: string } | null;
}

/** Looks how far indexes are. */
@Injectable()
export class IndexProgresses {
  constructor(private readonly indexes: IndexProgressRepository) {}

  /** By id, of those of the bases whose index there is work on. */
  async of(workspaceId: string, bases: readonly KnowledgeBaseEntity[]): Promise<ReadonlyMap<string, IndexProgress>> {
    const busy = bases.filter(({ indexDueAt }) => indexDueAt !== null);
    if (busy.length === 0) return new Map();
    const counts = await this.indexes.counts(workspaceId, busy.map(({ id }) => id)); // prettier-ignore
    const byId = new Map(counts.map((count) => [count.id, count]));
    return new Map(busy.map((base) => [base.id, progressOf(base, byId.get(base.id))]));
  }
}

function progressOf({ building, documentCount, indexError }: KnowledgeBaseEntity, counts?: IndexCounts): IndexProgress {
  const { done = 0, waiting = 0 } = counts ?? {};
  const documents = building === null ? null : { done: Math.min(done, documentCount), total: documentCount };
  const status = indexError ? 'failing' : building === null ? 'embedding' : 'building';
  return { status, documents, passagesWaiting: waiting, error: indexError };
}
