import type { IndexProgress, KnowledgeBase } from '@app/knowledge';
import type { IndexProgressResource, KnowledgeBaseResource } from './knowledge-base.dto.js';

/** `progress`: of the work on its index, while there is some. */
export function presentKnowledgeBase(base: KnowledgeBase, progress?: IndexProgress): KnowledgeBaseResource {
  const { id, name, description, region, settings } = base;
  return {
    id,
    name,
    description,
    region,
    settings,
    document_count: base.documentCount,
    chunk_count: base.chunkCount,
    ...(progress && { index: presentProgress(progress) }),
    last_synced_at: base.lastSyncedAt?.toISOString() ?? null,
    created_at: base.createdAt.toISOString(),
    updated_at: base.updatedAt.toISOString(),
  };
}

function presentProgress({ passagesWaiting, ...progress }: IndexProgress): IndexProgressResource {
  return { ...progress, passages_waiting: passagesWaiting };
}
