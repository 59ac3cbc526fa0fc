import { Clock, DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { JobQueueService } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { executeRun } from '../store/run.jobs.js';
import { WorkspaceStopsRepository } from './workspace-stops.repository.js';

export const QUEUED_RUNS = ['resume', 'cancel'] as const;
export type QueuedRuns = (typeof QUEUED_RUNS)[number];

export interface ResumeOrder {
  actor: string;
  reason: string | null;
  queuedRuns: QueuedRuns;
}

/** A repeated request cancels the remaining runs. */
const CANCEL_MILLIS = 20_000;
const RESUME_BATCH = 1_000;
// Maximum number of jobs that a resume enqueues. This number is enough to occupy all workers. They find the remaining
// runs by polling.
const MAX_JOBS = 200;

/** It is a separate class from the stop, because a resume needs the queue and a stop must not need it. */
@Injectable()
export class WorkspaceResumptionService {
  constructor(
    private readonly stops: WorkspaceStopsRepository,
    private readonly queue: JobQueueService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Suspended runs continue after their last recorded step. If the workspace is not stopped, nothing changes.
   * @throws DomainError `unavailable`, also if one request cannot cancel all runs. A repeated request continues the
   * cancellation.
   */
  async resumeWorkspace(workspaceId: string, order: ResumeOrder): Promise<void> {
    // The runs are cancelled before the resume, so none of them begins, even if this process dies.
    if (order.queuedRuns === 'cancel') {
      const done = await this.stops.cancelRunsWithin(
        workspaceId,
        { ...order, unbegun: true },
        CANCEL_MILLIS,
        this.clock,
      );
      if (!done) throw unfinished();
    }
    if (!(await this.stops.resume(workspaceId, order))) return;
    this.logger.warn({ workspaceId, actor: order.actor }, 'emergency stop: workspace resumed');
    const resumed = await this.stops.resumeSuspendedRuns(workspaceId, RESUME_BATCH);
    for (const runId of resumed.slice(0, MAX_JOBS)) this.queue.enqueue(executeRun, { runId });
  }
}

function unfinished(): DomainError {
  return new DomainError(
    'unavailable',
    'The workspace is still stopped: not all queued runs have been cancelled yet. Repeat the request to continue.',
    { retryAfterSeconds: 1 },
  );
}
