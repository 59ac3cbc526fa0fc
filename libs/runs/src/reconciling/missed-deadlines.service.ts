import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { ApprovalStore } from '../approvals/approval.store.js';
import { executeRun } from '../store/run.jobs.js';
import { RunStore } from '../store/run.store.js';

const BATCH = 100;

@Injectable()
export class MissedDeadlines {
  constructor(
    private readonly store: RunStore,
    private readonly approvals: ApprovalStore,
    private readonly queue: JobQueueService,
  ) {}

  async enforce(signal: AbortSignal): Promise<void> {
    for (const approval of await this.approvals.due(BATCH)) {
      if (signal.aborted) return;
      // The definition may let the run continue after an approval that expired.
      if (await this.approvals.expire(approval)) this.queue.enqueue(executeRun, { runId: approval.runId });
    }
    await this.store.expireQueued(BATCH);
  }
}
