import { isDeepStrictEqual } from 'node:util';
import type { KnowledgeBaseEntity } from './knowledge-base.entity.js';
import { indexSettings, type KnowledgeSettings } from './knowledge-settings.js';

/** What of a base changes with the passages that its settings ask for. */
export type IndexChange = Partial<
  Pick<KnowledgeBaseEntity, 'building' | 'lastGeneration' | 'staleGenerations' | 'indexError' | 'indexFailures'>
>;

/**
 * How the index of a base gets to what new settings ask for: a generation is built beside the one that is searched, unless the
 * searched one is as wanted, or the one under way is. What is under way for other settings is given up.
 */
export function wantedIndex(base: KnowledgeBaseEntity, settings: KnowledgeSettings): IndexChange {
  const wanted = indexSettings(settings);
  if (base.building !== null && isDeepStrictEqual(wanted, indexSettings(base.settings))) return {};
  const given = base.building === null ? {} : { staleGenerations: [...base.staleGenerations, base.building] };
  const afresh = { indexError: null, indexFailures: 0 };
  if (isDeepStrictEqual(wanted, base.indexed)) {
    return base.building === null ? {} : { ...given, ...afresh, building: null };
  }
  const next = base.lastGeneration + 1;
  return { ...given, ...afresh, building: next, lastGeneration: next };
}
