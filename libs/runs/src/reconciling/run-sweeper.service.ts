import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { ChildRunStore } from '../children/child-run.store.js';
import { RunStore } from '../store/run.store.js';
import { SuspendedRunsService } from './suspended-runs.service.js';
import { RunRecoveryService } from './run-recovery.service.js';

interface SweepPart {
  name: string;
  work: (signal: AbortSignal) => Promise<void>;
}

/**
 * Each worker executes this sweep. The sweeps of several workers may overlap, because the state machine recovers each
 * run once and expires each approval once.
 */
@Injectable()
export class RunSweeperService extends PeriodicTask {
  private readonly parts: readonly SweepPart[];

  constructor(
    recovery: RunRecoveryService,
    suspendedRuns: SuspendedRunsService,
    store: RunStore,
    childRuns: ChildRunStore,
    clock: Clock,
    @Inject(workerConfig.KEY) config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(clock, {
      everyMillis: config.sweepMillis,
      waitsFirst: true,
      work: (signal) => this.sweep(signal),
      onError: (error) => logger.warn({ err: error }, 'run sweep: failed'),
    });
    this.parts = [
      { name: 'lost runs', work: (signal) => recovery.recoverLostRuns(signal) },
      { name: 'missed deadlines', work: (signal) => recovery.expireOverdue(signal) },
      { name: 'suspended runs', work: (signal) => suspendedRuns.sweepSuspendedRuns(signal) },
      { name: 'runs of archived agents', work: () => store.sweepRunsOfArchivedAgents() },
      { name: 'child runs', work: (signal) => childRuns.sweepChildRuns(signal) },
    ];
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    for (const part of this.parts) await this.attempt(part, signal);
  }

  /** If the part fails, the other parts are still executed, and the next sweep repeats the failed part. */
  private async attempt({ name, work }: SweepPart, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await work(signal);
    } catch (error) {
      this.logger.warn({ err: error, part: name }, 'run sweep: part failed');
    }
  }
}
