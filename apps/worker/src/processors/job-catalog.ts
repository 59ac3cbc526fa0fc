import { syncSource } from '@app/knowledge';
import { executeRun } from '@app/runs';
import { deliverWebhook } from '@app/events';

/** Every job that a worker process takes. */
export const JOB_CATALOG = { executeRun, deliverWebhook, syncSource };
