import { defineJob } from '@app/platform/queue';

/**
 * Notifies a worker that a run may be due. The job is enqueued when a run is accepted, when a decision lets a run
 * continue, and when a sweep finds a run whose worker was lost or whose approval has expired. A duplicate job does
 * nothing, because the run is already claimed. If a job is lost, pollers find the run by its wake time.
 */
export const executeRun = defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' });
