import { Clock, DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { JobQueueService } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { executeRun } from '../store/run.jobs.js';
import { WorkspaceStopsRepository } from './workspace-stops.repository.js';

/** What a resume does with runs that no worker had begun. */
export const QUEUED_RUNS = ['resume', 'cancel'] as const;
export type QueuedRuns = (typeof QUEUED_RUNS)[number];

export interface ResumeOrder {
  /** E-mail address of the admin. */
  actor: string;
  reason: string | null;
  queuedRuns: QueuedRuns;
}

/** How long one request cancels runs. The caller repeats the request for the remaining runs. */
const CANCEL_MILLIS = 20_000;
const WAKE_BATCH = 1_000;
// Enough jobs for the free slots of a fleet. Workers find the other runs by polling.
const RINGS = 200;

/** Ends an emergency stop. Unlike the stop it needs the queue, so it is a class of its own. */
@Injectable()
export class WorkspaceResumptionService {
  constructor(
    private readonly stops: WorkspaceStopsRepository,
    private readonly queue: JobQueueService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Resumes the workspace; suspended runs continue after their last recorded step. A workspace that is not stopped does not
   * change.
   * @throws DomainError `unavailable`, also when one request cannot cancel all runs: repeating it continues
   */
  async resumeWorkspace(workspaceId: string, order: ResumeOrder): Promise<void> {
    // The workspace is still stopped: no run that is to be cancelled begins, even if this process ends.
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
    this.logger.warn({ workspaceId, actor: order.actor }, 'the workspace goes on');
    const woken = await this.stops.resumeSuspendedRuns(workspaceId, WAKE_BATCH);
    for (const runId of woken.slice(0, RINGS)) this.queue.enqueue(executeRun, { runId });
  }
}

function unfinished(): DomainError {
  return new DomainError(
    'unavailable',
    'The workspace is still stopped: not all queued runs have been cancelled yet. Repeat the request to go on.',
    { retryAfterSeconds: 1 },
  );
}
