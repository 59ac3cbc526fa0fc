import { Clock } from '@app/kernel';
import { type DueWork, DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { ChildRunStore } from '../children/child-run.store.js';
import { RunStore } from '../store/run.store.js';
import {
  CHILD_RUNS,
  DUE_APPROVALS,
  LOST_RUNS,
  QUEUE_DEADLINES,
  RUNS_OF_ARCHIVED_AGENTS,
  SUSPENDED_RUNS,
} from './due-runs.js';
import { RunRecoveryService } from './run-recovery.service.js';
import { SuspendedRunsService } from './suspended-runs.service.js';

type Sweep = (signal: AbortSignal) => Promise<unknown>;

/**
 * Each worker executes these sweeps. The sweeps of several workers may overlap, because the state machine recovers each
 * run once and expires each approval once.
 */
@Injectable()
export class RunSweeperService {
  private readonly tasks: readonly PeriodicTask[];

  constructor(
    recovery: RunRecoveryService,
    suspendedRuns: SuspendedRunsService,
    store: RunStore,
    childRuns: ChildRunStore,
    dueWork: DueWorkService,
    clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    const task = (kind: DueWork, work: Sweep): PeriodicTask =>
      new PeriodicTask(clock, {
        pause: dueWork.untilDue(kind),
        work,
        onError: (error) => logger.warn({ err: error, kind: kind.name }, 'run sweep: failed'),
      });
    this.tasks = [
      task(recovery.unknownRuns, () => recovery.releaseUnknownRuns()),
      task(LOST_RUNS, (signal) => recovery.recoverLostRuns(signal)),
      task(recovery.unreportedCalls, () => recovery.closeUnreportedCalls()),
      task(DUE_APPROVALS, (signal) => recovery.expireApprovals(signal)),
      task(QUEUE_DEADLINES, () => recovery.expireQueued()),
      task(SUSPENDED_RUNS, (signal) => suspendedRuns.sweepSuspendedRuns(signal)),
      task(RUNS_OF_ARCHIVED_AGENTS, () => store.sweepRunsOfArchivedAgents()),
      task(CHILD_RUNS, (signal) => childRuns.sweepChildRuns(signal)),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}
