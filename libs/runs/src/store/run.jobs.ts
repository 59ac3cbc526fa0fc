import { defineJob } from '@app/platform/queue';

/**
 * A sweep also enqueues it for a run whose worker was lost or whose approval has expired. A duplicate job does nothing,
 * because the run is already claimed. If a job is lost, pollers find the run by its wake time.
 */
export const executeRun = defineJob<{ runId: string }>({ name: 'run.execute', queue: 'runs' });
