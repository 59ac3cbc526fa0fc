import { SyncWorker } from '@app/knowledge';
import type { JobProcessors } from '@app/platform/queue';
import { RunExecutor } from '@app/runs';
import { WebhookPublisher } from '@app/events';
import { Injectable } from '@nestjs/common';
import { deliverWebhookProcessor } from './deliver-webhook.processor.js';
import { executeRunProcessor } from './execute-run.processor.js';
import type { JOB_CATALOG } from './job-catalog.js';
import { syncSourceProcessor } from './sync-source.processor.js';

/** The processor of every job in the catalog; with one missing this does not compile. */
@Injectable()
export class Processors {
  readonly byJob: JobProcessors<typeof JOB_CATALOG>;

  constructor(executor: RunExecutor, publisher: WebhookPublisher, syncs: SyncWorker) {
    this.byJob = {
      executeRun: executeRunProcessor(executor),
      deliverWebhook: deliverWebhookProcessor(publisher),
      syncSource: syncSourceProcessor(syncs),
    };
  }
}
