import type { JsonObject } from '@app/kernel';

/**
 * The status of a sync. `completed_with_errors`: a part of the source or some documents could not be read, vectors are
 * delayed, or deletions wait for a confirmation. `failed`: the source or all of its documents could not be read, and
 * nothing was deleted.
 */
export const SYNC_STATUSES = [
  'queued',
  'running',
  'succeeded',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** A document that could not be read; `key` is its URL, file or row. */
export type DocumentFailure = { key: string; code: string; message: string };

export type SkippedItems = {
  count: number;
  items: DocumentFailure[];
};

/**
 * A sync that a worker has claimed for the duration of a lease. A later claim has a higher `attempt` and invalidates
 * the earlier claim.
 */
export interface ClaimedSync {
  workspaceId: string;
  knowledgeBaseId: string;
  sourceId: string;
  id: string;
  attempt: number;
  checkpoint: JsonObject | null;
  requestedBy: string | null;
  startedAt: Date;
}

/** The progress of a sync since the last write: counts to add, new failures, and the new checkpoint. */
export interface SyncProgress {
  seen: number;
  added: number;
  updated: number;
  unchanged: number;
  deleted: number;
  failures: DocumentFailure[];
  total?: number;
  checkpoint?: JsonObject;
  /** URLs of crawled pages that need not be read again. */
  visited?: readonly string[];
  /** Replaces the recorded list of skipped items. */
  skipped?: SkippedItems;
}

/** Thrown if another worker has claimed the sync, or if the sync has ended. The worker must then stop this sync. */
export class SyncLost extends Error {
  override readonly name = 'SyncLost';
}

export const NO_PROGRESS: SyncProgress = { seen: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, failures: [] };
