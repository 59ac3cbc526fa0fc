import { defineJob } from '@app/platform/queue';

/**
 * A run may be due. Rung by the intake after a run has been accepted.
 * Twice: the second finds the run claimed and does nothing. Never: pollers find it by its wake time.
 */
export const executeRun = defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' });
