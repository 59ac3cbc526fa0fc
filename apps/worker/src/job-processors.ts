import { deliverWebhook, WebhookPublisherService } from '@app/events';
import { syncSource, SyncWorker } from '@app/knowledge';
import type { JobProcessors } from '@app/platform/queue';
import { executeRun, RunExecutorService } from '@app/runs';
import type { INestApplicationContext } from '@nestjs/common';

export const JOB_CATALOG = { executeRun, deliverWebhook, syncSource };

/**
 * Returns the processors of the jobs, by the name of the job. A job is only a wake-up. Its processor reads from
 * Postgres what work is due.
 */
export function jobProcessors(app: INestApplicationContext): JobProcessors<typeof JOB_CATALOG> {
  const runs = app.get(RunExecutorService, { strict: false });
  const deliveries = app.get(WebhookPublisherService, { strict: false });
  const syncs = app.get(SyncWorker, { strict: false });
  return {
    executeRun: ({ runId }) => runs.executeRun(runId),
    deliverWebhook: () => deliveries.publishDue(),
    syncSource: () => syncs.claimDue(),
  };
}
