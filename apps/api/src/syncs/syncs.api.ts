import { ApiSchema } from '@nestjs/swagger';
import type { Response } from 'express';
import { type KnowledgeSyncEntity, SYNC_STATUSES } from '@app/knowledge';
import { accepted } from '../http/answers.js';
import { Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';

@ApiSchema({ name: 'SyncProgress', description: 'Number of documents of a sync, by result.' })
export class SyncProgressResource {
  @Whole({ description: 'Number of documents read so far, including failed documents.', example: 340 }) seen: number;
  @Whole({ description: 'Number of new documents.', example: 12 }) added: number;
  @Whole({ description: 'Number of changed documents.', example: 3 }) updated: number;
  @Whole({ description: 'Number of unchanged documents.', example: 324 }) unchanged: number;
  @Whole({ description: 'Number of deleted documents.', example: 0 }) deleted: number;
  @Whole({ description: 'Number of documents that could not be read.', example: 1 }) failed: number;
  @Whole({
    optional: true,
    description: 'Number of documents to read, if known; for a crawl, the pages found so far.',
    example: 340,
  })
  total?: number;
}

@ApiSchema({ name: 'SyncError', description: 'The reason why a sync failed.' })
export class SyncErrorResource {
  @Text({ description: 'Code of the error.', example: 'site_unreachable' }) code: string;
  @Text({ description: 'Explanation for people.', example: 'docs.example.com does not respond.' }) message: string;
}

@ApiSchema({ name: 'DocumentFailure', description: 'A document that was not read.' })
export class DocumentFailureResource {
  @Text({ description: 'URL, name or key of the document.', example: 'https://docs.example.com/old' }) key: string;
  @Text({ description: 'Code of the error.', example: 'document_unreadable' }) code: string;
  @Text({ description: 'Explanation for people.', example: 'The file is encrypted.' }) message: string;
}

@ApiSchema({ name: 'SkippedItems', description: 'Files that the sync skips intentionally.' })
export class SkippedItemsResource {
  @Whole({ description: 'Number of files.', example: 4 }) count: number;
  @Nested(DocumentFailureResource, {
    list: true,
    description: 'First 100 files, each with the reason why it is skipped.',
  })
  items: DocumentFailureResource[];
}

@ApiSchema({ name: 'HeldDeletions', description: 'Deletions that wait for a confirmation.' })
export class HeldDeletionsResource {
  @Whole({ description: 'Number of documents that no longer exist in the source and were not deleted.', example: 120 })
  count: number;
  @Timestamp({ nullable: true, description: 'Time of the confirmation; null until then.' }) confirmed_at: string | null;
  @Text({
    nullable: true,
    description: 'E-mail address of the member who confirmed; null until then.',
    example: 'ada@example.com',
  })
  confirmed_by: string | null;
}

@ApiSchema({ name: 'Sync', description: 'One synchronisation of the documents of a source.' })
export class SyncResource {
  @Id('sync') id: string;
  @Id('source') source: string;
  @OneOf(SYNC_STATUSES, {
    description:
      'Status. `completed_with_errors`: some documents failed, or deletions wait for a confirmation. `failed`: the source could not be ' +
      'read to its end, and nothing was deleted.',
    example: 'succeeded',
  })
  status: string;
  @Nested(SyncProgressResource, { description: 'Number of documents by result.' }) progress: SyncProgressResource;
  @Nested(DocumentFailureResource, { list: true, description: 'First 100 documents that could not be read.' })
  failures: DocumentFailureResource[];
  @Nested(SkippedItemsResource, {
    nullable: true,
    description:
      'Files that the sync of a git source skips. Not included: files outside its paths. ' + 'Null for other sources.',
    example: null,
  })
  skipped: SkippedItemsResource | null;
  @Nested(SyncErrorResource, {
    nullable: true,
    description: 'Error if the status is `failed`; null otherwise.',
    example: null,
  })
  error: SyncErrorResource | null;
  @Nested(HeldDeletionsResource, {
    nullable: true,
    description: 'Deletions that wait for a confirmation; null if there are none.',
    example: null,
  })
  held_deletions: HeldDeletionsResource | null;
  @Text({
    nullable: true,
    description: 'E-mail address of the member who started the sync; null if the schedule started it.',
    example: 'ada@example.com',
  })
  requested_by: string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ nullable: true, description: 'Time at which the sync started; null while it is queued.' }) started_at:
    string | null;
  @Timestamp({ nullable: true, description: 'Time at which the sync ended; null until then.' }) ended_at: string | null;
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

/** Responds with 202 for a new sync, or with 200 if a sync was already in progress. */
export function presentRequested(response: Response, sync: KnowledgeSyncEntity, isNew: boolean): SyncResource {
  if (isNew) return accepted(response, locationOf(sync), presentSync(sync));
  response.status(200);
  return presentSync(sync);
}

export function locationOf({ knowledgeBaseId, sourceId, id }: KnowledgeSyncEntity): string {
  return `/v1/knowledge-bases/${knowledgeBaseId}/sources/${sourceId}/syncs/${id}`;
}
