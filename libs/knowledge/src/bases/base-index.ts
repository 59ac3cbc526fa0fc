import { isDeepStrictEqual } from 'node:util';
import type { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { indexSettings, type KnowledgeSettings } from './knowledge-settings.js';

/** Columns of a knowledge base that change when its index must be rebuilt. */
export type IndexChange = Partial<
  Pick<KnowledgeBaseEntity, 'building' | 'lastGeneration' | 'staleGenerations' | 'indexError' | 'indexFailures'>
>;

/**
 * Returns the changes that adapt the index of a base to new settings. While a new generation is built, the old
 * generation is still searched. No build starts if the searched generation, or the generation that is being built,
 * already has these settings. A running build for other settings is abandoned.
 */
export function planIndexChange(base: KnowledgeBaseEntity, settings: KnowledgeSettings): IndexChange {
  const wanted = indexSettings(settings);
  if (base.building !== null && isDeepStrictEqual(wanted, indexSettings(base.settings))) return {};
  const abandoned = base.building === null ? {} : { staleGenerations: [...base.staleGenerations, base.building] };
  const reset = { indexError: null, indexFailures: 0 };
  if (isDeepStrictEqual(wanted, base.indexed)) {
    return base.building === null ? {} : { ...abandoned, ...reset, building: null };
  }
  const next = base.lastGeneration + 1;
  return { ...abandoned, ...reset, building: next, lastGeneration: next };
}

/**
 * `building`: a new generation is being built; `embedding`: passages wait for vectors; `failing`: the last attempt
 * failed.
 */
export const INDEX_STATUSES = ['building', 'embedding', 'failing'] as const;

export interface IndexProgress {
  status: (typeof INDEX_STATUSES)[number];
  /** Documents in the new generation; null if none is being built. */
  documents: { done: number; total: number } | null;
  passagesWaiting: number;
  error: { code: string; message: string } | null;
}

/** `done`: documents in the new generation. `waiting`: passages without a vector. `id`: the base. */
export interface IndexCounts {
  id: string;
  done: number;
  waiting: number;
}

export function indexProgressOf(
  { building, documentCount, indexError }: KnowledgeBaseEntity,
  counts?: IndexCounts,
): IndexProgress {
  const { done = 0, waiting = 0 } = counts ?? {};
  const documents = building === null ? null : { done: Math.min(done, documentCount), total: documentCount };
  const status = indexError ? 'failing' : building === null ? 'embedding' : 'building';
  return { status, documents, passagesWaiting: waiting, error: indexError };
}
