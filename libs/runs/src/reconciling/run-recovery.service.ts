import type { DueWork } from '@app/platform/database';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { LOGGER, type Logger } from '@app/platform/observability';
import { JobQueueService } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { ApprovalStore } from '../approvals/approval.store.js';
import { executeRun } from '../store/run.jobs.js';
import { MAX_RECOVERIES, RunStore } from '../store/run.store.js';
import { WorkerLeaseService } from '../execution/worker-lease.service.js';
import { unknownRuns, unreportedCalls } from './due-runs.js';

const BATCH = 100;

@Injectable()
export class RunRecoveryService {
  readonly unknownRuns: DueWork;
  readonly unreportedCalls: DueWork;

  constructor(
    private readonly store: RunStore,
    private readonly approvals: ApprovalStore,
    private readonly lease: WorkerLeaseService,
    private readonly queue: JobQueueService,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.unknownRuns = unknownRuns(lease.workerId, config.leaseMillis);
    this.unreportedCalls = unreportedCalls(config.leaseMillis);
  }

  async releaseUnknownRuns(): Promise<void> {
    for (const { runId, verdict } of await this.lease.releaseUnknownRuns(MAX_RECOVERIES)) {
      this.logger.warn({ runId, verdict }, 'run recovery: recovered a run that this worker owned but did not execute');
      if (verdict === 'requeued') this.queue.enqueue(executeRun, { runId });
    }
  }

  async recoverLostRuns(signal: AbortSignal): Promise<void> {
    for (const runId of await this.store.lostRuns(BATCH)) {
      if (signal.aborted) return;
      const verdict = await this.store.recover(runId, MAX_RECOVERIES);
      if (verdict !== 'noop')
        this.logger.warn({ runId, verdict }, 'run recovery: recovered a run that had lost its worker');
      if (verdict === 'requeued') this.queue.enqueue(executeRun, { runId });
    }
  }

  async closeUnreportedCalls(): Promise<void> {
    await this.store.closeUnreportedCalls(this.config.leaseMillis, BATCH);
  }

  async expireApprovals(signal: AbortSignal): Promise<void> {
    for (const approval of await this.approvals.due(BATCH)) {
      if (signal.aborted) return;
      // The run may continue after the timeout of the approval, so a job is enqueued for it.
      if (await this.approvals.expire(approval)) this.queue.enqueue(executeRun, { runId: approval.runId });
    }
  }

  async expireQueued(): Promise<void> {
    await this.store.expireQueued(BATCH);
  }
}
