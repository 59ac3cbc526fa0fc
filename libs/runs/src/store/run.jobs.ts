import { defineJob } from '@app/platform/queue';

/**
 * A run may be due. Rung by the intake after a run has been accepted, by a decision that lets one go on, and by whoever
 * finds one that lost its worker or its approval to time.
 * Twice: the second finds the run claimed and does nothing. Never: pollers find it by its wake time.
 */
export const executeRun = defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' });
