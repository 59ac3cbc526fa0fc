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

export type DocumentFailure = { key: string; code: string; message: string };

export type SkippedItems = {
  count: number;
  items: DocumentFailure[];
};

/** A later claim has a higher `attempt` and invalidates the earlier claim. */
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

export interface SyncProgress {
  seen: number;
  added: number;
  updated: number;
  unchanged: number;
  deleted: number;
  failures: DocumentFailure[];
  total?: number;
  checkpoint?: JsonObject;
  visited?: readonly string[];
  skipped?: SkippedItems;
}

/** The worker must then stop this sync. */
export class SyncLost extends Error {
  override readonly name = 'SyncLost';
}

export const NO_PROGRESS: SyncProgress = { seen: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, failures: [] };
