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
