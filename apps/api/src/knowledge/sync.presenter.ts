import type { KnowledgeSync, RequestedSync } from '@app/knowledge';
import type { OnceOnly } from '@app/workspace';
import type { Response } from 'express';
import { accepted, answered, markReplayed } from '../http/answers.js';
import type { SyncResource } from './sync.dto.js';

export function presentSync(sync: KnowledgeSync): SyncResource {
  const { id, sourceId, status, seen, added, updated, unchanged, deleted, failed, total, failures, error } = sync;
  return {
    id,
    source: sourceId,
    status,
    progress: { seen, added, updated, unchanged, deleted, failed, ...(total !== null && { total }) },
    failures,
    skipped: sync.skipped,
    error,
    held_deletions:
      sync.heldDeletions === null
        ? null
        : {
            count: sync.heldDeletions,
            confirmed_at: sync.deletionsConfirmedAt?.toISOString() ?? null,
            confirmed_by: sync.deletionsConfirmedBy,
          },
    requested_by: sync.requestedBy,
    created_at: sync.createdAt.toISOString(),
    started_at: sync.startedAt?.toISOString() ?? null,
    ended_at: sync.endedAt?.toISOString() ?? null,
  };
}

/** 202 for a sync that was begun; 200 for the one that was under way already. */
export function presentRequested(response: Response, { sync, isNew, replayed }: RequestedSync): SyncResource {
  if (replayed) markReplayed(response);
  if (isNew) return presentBegun(response, sync);
  response.status(200);
  return presentSync(sync);
}

/** 202 with the sync of documents that were pushed. */
export function presentPushed(response: Response, pushed: OnceOnly<KnowledgeSync>): SyncResource {
  return presentBegun(response, answered(response, pushed));
}

/** 202 with the address of the sync. */
function presentBegun(response: Response, sync: KnowledgeSync): SyncResource {
  return accepted(response, locationOf(sync), presentSync(sync));
}

function locationOf({ knowledgeBaseId, sourceId, id }: KnowledgeSync): string {
  return `/v1/knowledge-bases/${knowledgeBaseId}/sources/${sourceId}/syncs/${id}`;
}
