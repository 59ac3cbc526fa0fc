import { defineJob } from '@app/platform/queue';

/**
 * Wakes a worker because a sync may be due. The api enqueues the job when a sync is requested or a document is pushed.
 * If the job runs twice, the second run finds no due sync. If it never runs, a worker finds the sync, because every
 * worker polls for due syncs.
 */
export const syncSource = defineJob<{ syncId: string }>({ name: 'source.sync', queue: 'syncs' });
