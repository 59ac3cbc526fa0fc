import { Clock, DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { JobQueueService } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { executeRun } from '../store/run.jobs.js';
import { WorkspaceStopsRepository } from './workspace-stops.repository.js';

/** How a resume handles runs that no worker has ever claimed. */
export const QUEUED_RUNS = ['resume', 'cancel'] as const;
export type QueuedRuns = (typeof QUEUED_RUNS)[number];

export interface ResumeOrder {
  actor: string;
  reason: string | null;
  queuedRuns: QueuedRuns;
}

/** Maximum time in milliseconds for which one request cancels runs. A repeated request cancels the remaining runs. */
const CANCEL_MILLIS = 20_000;
const RESUME_BATCH = 1_000;
// Maximum number of jobs that a resume enqueues. It is enough to occupy all workers. They find the other runs by
// polling.
const MOST_JOBS = 200;

/** Ends an emergency stop. A resume needs the queue and a stop must not need it, so this is a separate class. */
@Injectable()
export class WorkspaceResumptionService {
  constructor(
    private readonly stops: WorkspaceStopsRepository,
    private readonly queue: JobQueueService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Resumes the workspace. Suspended runs continue after their last recorded step. Changes nothing if the workspace is
   * not stopped.
   * @throws DomainError `unavailable`, also if one request cannot cancel all runs. A repeated request then continues.
   */
  async resumeWorkspace(workspaceId: string, order: ResumeOrder): Promise<void> {
    // The runs are cancelled before the resume, so that none of them begins, even if this process dies in between.
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
    for (const runId of resumed.slice(0, MOST_JOBS)) this.queue.enqueue(executeRun, { runId });
  }
}

function unfinished(): DomainError {
  return new DomainError(
    'unavailable',
    'The workspace is still stopped: not all queued runs have been cancelled yet. Repeat the request to continue.',
    { retryAfterSeconds: 1 },
  );
}
