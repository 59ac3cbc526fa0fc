import { isDeepStrictEqual } from 'node:util';
import type { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { indexSettings, type KnowledgeSettings } from './knowledge-settings.js';

export type IndexChange = Partial<
  Pick<KnowledgeBaseEntity, 'building' | 'lastGeneration' | 'staleGenerations' | 'indexError' | 'indexFailures'>
>;

/**
 * Starts a build only if neither the searched generation nor the generation that is being built has the new settings.
 * Abandons a running build that has other settings. Until a build is complete, searches use the old generation.
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
 * The state of index work that is not finished. `building`: a new generation is being built. `embedding`: passages wait
 * for vectors. `failing`: the last attempt failed.
 */
export const INDEX_STATUSES = ['building', 'embedding', 'failing'] as const;

export interface IndexProgress {
  status: (typeof INDEX_STATUSES)[number];
  /** Null if no generation is being built. */
  documents: { done: number; total: number } | null;
  passagesWaiting: number;
  error: { code: string; message: string } | null;
}

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
