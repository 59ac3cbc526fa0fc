import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { ChildRunStore } from '../children/child-run.store.js';
import { RunStore } from '../store/run.store.js';
import { SuspendedRunsService } from './suspended-runs.service.js';
import { RunRecoveryService } from './run-recovery.service.js';
import { MissedDeadlines } from './missed-deadlines.service.js';

/** One part of a round. */
interface SweepPart {
  name: string;
  work: (signal: AbortSignal) => Promise<void>;
}

/**
 * Puts right what a dead process left behind, ends what nobody answered or began in time, and carries on with what a stop or
 * a resume began. Every worker does this; the state machine makes sure that each run is recovered once and each approval
 * expires once, so any number of them at the same time is harmless.
 */
@Injectable()
export class RunSweeperService {
  private readonly reconciling: PeriodicTask;
  /** In the order of a round. */
  private readonly parts: readonly SweepPart[];

  constructor(
    lostRuns: RunRecoveryService,
    deadlines: MissedDeadlines,
    heldRuns: SuspendedRunsService,
    store: RunStore,
    childRuns: ChildRunStore,
    clock: Clock,
    @Inject(workerConfig.KEY) config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.parts = [
      { name: 'lost runs', work: (signal) => lostRuns.recoverLostRuns(signal) },
      { name: 'missed deadlines', work: (signal) => deadlines.enforce(signal) },
      { name: 'held runs', work: (signal) => heldRuns.sweepSuspendedRuns(signal) },
      { name: 'runs of archived agents', work: () => store.sweepRunsOfArchivedAgents() },
      { name: 'runs that runs have started', work: (signal) => childRuns.sweepChildRuns(signal) },
    ];
    this.reconciling = new PeriodicTask(clock, {
      everyMillis: config.sweepMillis,
      waitsFirst: true,
      work: (signal) => this.reconcile(signal),
      onError: (error) => logger.warn({ err: error }, 'reconciling failed'),
    });
  }

  start(): void {
    this.reconciling.start();
  }

  stop(): Promise<void> {
    return this.reconciling.stop();
  }

  private async reconcile(signal: AbortSignal): Promise<void> {
    for (const part of this.parts) await this.attempt(part, signal);
  }

  /** A part that fails is left to the next round, and keeps none of the others. */
  private async attempt({ name, work }: SweepPart, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await work(signal);
    } catch (error) {
      this.logger.warn({ err: error, part: name }, 'reconciling failed');
    }
  }
}
