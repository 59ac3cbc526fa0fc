import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { ChildRunStore } from '../children/child-run.store.js';
import { RunStore } from '../store/run.store.js';
import { SuspendedRunsService } from './suspended-runs.service.js';
import { RunRecoveryService } from './run-recovery.service.js';
import { MissedDeadlines } from './missed-deadlines.service.js';

interface SweepPart {
  name: string;
  work: (signal: AbortSignal) => Promise<void>;
}

/**
 * Sweeps the runs: recovers runs of dead workers, expires approvals and queued runs, continues stops and resumes, and
 * sweeps runs of archived agents and child runs. Each worker does this. They may overlap, because the state machine
 * recovers each run once and expires each approval once.
 */
@Injectable()
export class RunSweeperService {
  private readonly reconciling: PeriodicTask;
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

  /** A part that fails is repeated in the next round. The other parts of this round still run. */
  private async attempt({ name, work }: SweepPart, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await work(signal);
    } catch (error) {
      this.logger.warn({ err: error, part: name }, 'reconciling failed');
    }
  }
}
