import { defineJob } from '@app/platform/queue';

/**
 * Wakes a worker because a sync may be due. The api enqueues it when a sync is requested or a document is pushed.
 * Twice: the second finds no due sync. Never: every worker polls for due syncs.
 */
export const syncSource = defineJob<{ syncId: string }>({ name: 'source.sync', queue: 'syncs' });
