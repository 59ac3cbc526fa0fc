import { executeRun } from '@app/runs';

/** Every job that a worker process takes. */
export const JOB_CATALOG = { executeRun };
