/**
 * The status of a sync. `completed_with_errors`: the sync has read everything, but documents failed or deletions wait
 * for a confirmation. `failed`: the sync could not read the source, and nothing was deleted.
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

/** Items of a source that are not read. */
export type SkippedItems = {
  count: number;
  /** The first hundred items. */
  items: DocumentFailure[];
};
