import type { JsonObject } from '@app/kernel';
import type { DocumentFailure, SkippedItems } from './sync-status.js';

/** A sync that a worker has claimed for the time of a lease. A later claim raises `attempt` and ends this one. */
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

/** What one step adds to the counts of a sync. */
export interface SyncProgress {
  seen: number;
  added: number;
  updated: number;
  unchanged: number;
  deleted: number;
  failures: DocumentFailure[];
  /** The number of all documents, if known. */
  total?: number;
  checkpoint?: JsonObject;
  /** Pages of the crawl that are done. */
  visited?: readonly string[];
  /** Replaces the recorded list. */
  skipped?: SkippedItems;
}

/** Another worker has claimed the sync, or it has ended. The worker must stop. */
export class SyncLost extends Error {
  override readonly name = 'SyncLost';
}

export const NO_PROGRESS: SyncProgress = { seen: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, failures: [] };
