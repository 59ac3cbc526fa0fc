import { defineJob } from '@app/platform/queue';

/**
 * A sync may be due. Rung by the api when somebody asks for one or pushes a document.
 * Twice: the second finds nothing that is due. Never: every worker looks for due syncs at intervals.
 */
export const syncSource = defineJob<{ syncId: string }>({ name: 'source.sync', queue: 'syncs' });
