import type { AuthorizationRequest } from '@app/connections';
import { withoutSecrets } from '@app/connectors';
import type { KnowledgeSourceEntity, KnowledgeSyncEntity, SourceScopes, SourceTest } from '@app/knowledge';
import { presentSync } from '../syncs/syncs.api.js';
import type { AuthorizationResource, SourceResource, SourceScopesResource, SourceTestResource } from './sources.api.js';

export interface SourceWithSync {
  id: string;
  source: KnowledgeSourceEntity;
  lastSync: KnowledgeSyncEntity | null;
}

export function presentSource({ source, lastSync }: SourceWithSync): SourceResource {
  const { id, knowledgeBaseId, connector, config, schedule, status, authorizationState, nextSyncAt } = source;
  return {
    id,
    knowledge_base: knowledgeBaseId,
    connector,
    config: { ...withoutSecrets(config), schedule },
    status,
    authorization: authorizationState,
    account: source.account,
    schedule,
    next_sync_at: status === 'paused' ? null : (nextSyncAt?.toISOString() ?? null),
    last_sync: lastSync && presentSync(lastSync),
    document_count: source.documentCount,
    error: source.error,
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
  };
}

export function presentAuthorization({ authorizeUrl, expiresAt }: AuthorizationRequest): AuthorizationResource {
  return { authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
}

export function presentScopes({ field, choices, isComplete }: SourceScopes): SourceScopesResource {
  return { field, data: choices, is_complete: isComplete };
}

export function presentTest({ isComplete, ...test }: SourceTest): SourceTestResource {
  return { ...test, is_complete: isComplete };
}
