import { ApiSchema } from '@nestjs/swagger';
import type { Response } from 'express';
import { type KnowledgeSyncEntity, SYNC_STATUSES } from '@app/knowledge';
import { accepted } from '../http/answers.js';
import { Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

export class SyncProgressResource {
  @Whole({ description: 'Documents come by, failed ones included.' }) seen: number;
  @Whole() added: number;
  @Whole() updated: number;
  @Whole() unchanged: number;
  @Whole() deleted: number;
  @Whole() failed: number;
  @Whole({ optional: true, description: 'Where it is known; of a crawl, the pages found so far.' }) total?: number;
}

@ApiSchema({ name: 'SyncError' })
export class SyncErrorResource {
  @Text({ example: 'site_unreachable' }) code: string;
  @Text({ description: 'For people.' }) message: string;
}

@ApiSchema({ name: 'DocumentFailure' })
export class DocumentFailureResource {
  @Text({ description: 'URL, name or key of the document.' }) key: string;
  @Text({ example: 'document_unreadable' }) code: string;
  @Text() message: string;
}

@ApiSchema({ name: 'SkippedItems' })
export class SkippedItemsResource {
  @Whole() count: number;
  @Nested(DocumentFailureResource, { list: true, description: 'The first hundred, with the reason for each.' })
  items: DocumentFailureResource[];
}

@ApiSchema({ name: 'HeldDeletions' })
export class HeldDeletionsResource {
  @Whole({ description: 'Documents that the source has no more, and that were kept.' }) count: number;
  @Timestamp({ nullable: true }) confirmed_at: string | null;
  @Text({ nullable: true }) confirmed_by: string | null;
}

@ApiSchema({ name: 'Sync' })
export class SyncResource {
  @Text({ example: 'syn_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text() source: string;
  @OneOf(SYNC_STATUSES) status: string;
  @Nested(SyncProgressResource) progress: SyncProgressResource;
  @Nested(DocumentFailureResource, { list: true, description: 'The first hundred.' })
  failures: DocumentFailureResource[];
  @Nested(SkippedItemsResource, {
    nullable: true,
    description:
      'Files of a git source that are not read, those left out by its paths excepted. Null for other sources.',
  })
  skipped: SkippedItemsResource | null;
  @Nested(SyncErrorResource, { nullable: true }) error: SyncErrorResource | null;
  @Nested(HeldDeletionsResource, { nullable: true }) held_deletions: HeldDeletionsResource | null;
  @Text({ nullable: true, description: 'E-mail address; null where the schedule asked.' }) requested_by: string | null;
  @Timestamp() created_at: string;
  @Timestamp({ nullable: true }) started_at: string | null;
  @Timestamp({ nullable: true }) ended_at: string | null;
}

export function presentSync(sync: KnowledgeSyncEntity): SyncResource {
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

/** 202 for a sync that was begun, with its address; 200 for the one that was under way already. */
export function presentRequested(response: Response, sync: KnowledgeSyncEntity, isNew: boolean): SyncResource {
  if (isNew) return accepted(response, locationOf(sync), presentSync(sync));
  response.status(200);
  return presentSync(sync);
}

/** Where to follow the sync. */
export function locationOf({ knowledgeBaseId, sourceId, id }: KnowledgeSyncEntity): string {
  return `/v1/knowledge-bases/${knowledgeBaseId}/sources/${sourceId}/syncs/${id}`;
}
