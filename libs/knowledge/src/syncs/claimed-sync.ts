import type { JsonObject } from '@app/kernel';
import type { DocumentFailure, SkippedItems } from './sync-status.js';

/** A sync that this worker has for the time of a lease. Whoever claims it later raises `attempt`, and this one is over. */
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

/** What a piece of work adds to a sync. */
export interface SyncProgress {
  seen: number;
  added: number;
  updated: number;
  unchanged: number;
  deleted: number;
  failures: DocumentFailure[];
  /** Where it is known. */
  total?: number;
  checkpoint?: JsonObject;
  /** Pages of its crawl that are over. */
  visited?: readonly string[];
  /** In the place of what was recorded before. */
  skipped?: SkippedItems;
}

/** The sync has gone to another worker, or has been ended: what this one still does counts for nothing. */
export class SyncLost extends Error {
  override readonly name = 'SyncLost';
}

export const NO_PROGRESS: SyncProgress = { seen: 0, added: 0, updated: 0, unchanged: 0, deleted: 0, failures: [] };
