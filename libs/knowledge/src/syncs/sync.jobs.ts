import { defineJob } from '@app/platform/queue';

/**
 * If the job runs twice, the second run finds no due sync. If it never runs, a worker finds the sync, because every
 * worker polls for due syncs.
 */
export const syncSource = defineJob<{ syncId: string }>({ name: 'source.sync', queue: 'syncs' });
