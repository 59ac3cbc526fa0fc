import { defineJob } from '@app/platform/queue';

/**
 * Tells a worker that a run may be due. The job is enqueued when a run is accepted, when a decision lets a run
 * continue, and when a sweep finds a run that lost its worker or whose approval has expired. A duplicate job finds the
 * run already claimed and does nothing. If the job is lost, pollers find the run by its wake time.
 */
export const executeRun = defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' });
