/**
 * Of a sync. `completed_with_errors`: it has been through everything, but some documents failed, or deletions are held for a
 * person. `failed`: it could not get through, and nothing was deleted.
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

/** One document that could not be brought; `key` is its URL, file or row. */
export type DocumentFailure = { key: string; code: string; message: string };

/** What a source has and the service does not read. */
export type SkippedItems = {
  count: number;
  /** The first hundred. */
  items: DocumentFailure[];
};
