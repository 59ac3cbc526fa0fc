import type { KnowledgeSource, KnowledgeSources, KnowledgeSync, SourceSyncs } from '@app/knowledge';
import type { ListSource } from '../http/list-pages.js';
import type { SourceResource } from './source.dto.js';
import type { PlacedSource } from './source-place.js';
import { presentSource, type SourceWithSync } from './source.presenter.js';
import type { SyncResource } from './sync.dto.js';
import { presentSync } from './sync.presenter.js';

/** The sources of a base, each with the latest of its syncs. */
export function sourceList(
  sources: KnowledgeSources,
  syncs: SourceSyncs,
  workspaceId: string,
  knowledgeBaseId: string,
): ListSource<SourceWithSync, SourceResource> {
  return {
    list: 'sources',
    workspaceId,
    filters: { knowledge_base: knowledgeBaseId },
    read: async (request) => {
      const page = await sources.list(workspaceId, knowledgeBaseId, request);
      return { ...page, data: await withSyncs(syncs, workspaceId, page.data) };
    },
    present: presentSource,
  };
}

/** The syncs of a source. */
export function syncList(
  sources: KnowledgeSources,
  syncs: SourceSyncs,
  { workspaceId, knowledgeBaseId, id }: PlacedSource,
): ListSource<KnowledgeSync, SyncResource> {
  return {
    list: 'syncs',
    workspaceId,
    filters: { source: id },
    read: async (page) => {
      await sources.get(workspaceId, knowledgeBaseId, id);
      return syncs.list(workspaceId, id, page);
    },
    present: presentSync,
  };
}

/** Sources with the latest of their syncs, in one look for all. */
export async function withSyncs(
  syncs: SourceSyncs,
  workspaceId: string,
  sources: readonly KnowledgeSource[],
): Promise<SourceWithSync[]> {
  const ids = sources.flatMap(({ lastSyncId }) => lastSyncId ?? []);
  const found = await syncs.byIds(workspaceId, ids);
  return sources.map((source) => ({ id: source.id, source, lastSync: found.get(source.lastSyncId ?? '') ?? null }));
}
