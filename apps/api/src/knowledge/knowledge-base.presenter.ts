import type { KnowledgeBase } from '@app/knowledge';
import type { KnowledgeBaseResource } from './knowledge-base.dto.js';

export function presentKnowledgeBase(base: KnowledgeBase): KnowledgeBaseResource {
  const { id, name, description, region, settings } = base;
  return {
    id,
    name,
    description,
    region,
    settings,
    document_count: base.documentCount,
    chunk_count: base.chunkCount,
    last_synced_at: base.lastSyncedAt?.toISOString() ?? null,
    created_at: base.createdAt.toISOString(),
    updated_at: base.updatedAt.toISOString(),
  };
}
