import { Clock } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ActiveRunsService } from '../execution/active-runs.service.js';
import { RunPollerService } from './run-poller.service.js';
import { RunSweeperService } from './run-sweeper.service.js';
import { RunSignalsService } from '../execution/run-signals.service.js';
import { WorkerLeaseService } from '../execution/worker-lease.service.js';

const DRAIN_CHECK_MILLIS = 20;

/** Starts and stops a worker process. The lease begins before all other parts and ends after them. */
@Injectable()
export class WorkerLifecycleService {
  constructor(
    private readonly lease: WorkerLeaseService,
    private readonly poller: RunPollerService,
    private readonly sweeper: RunSweeperService,
    private readonly signals: RunSignalsService,
    private readonly activeRuns: ActiveRunsService,
    private readonly clock: Clock,
  ) {}

  /** The process must then end immediately, without waiting for its runs. */
  get leaseLost(): Promise<void> {
    return this.lease.lost;
  }

  get isAlive(): boolean {
    return this.lease.holds();
  }

  async start(): Promise<void> {
    await this.lease.begin();
    this.signals.start();
    this.poller.start();
    this.sweeper.start();
  }

  /**
   * Waits at most `drainMillis` until this process has released its runs, each between two steps. Other workers recover
   * the remaining runs.
   */
  async stop(drainMillis: number): Promise<void> {
    this.activeRuns.drain();
    await Promise.all([this.poller.stop(), this.sweeper.stop()]);
    const deadline = this.clock.monotonicMillis() + drainMillis;
    while (this.activeRuns.size > 0 && this.clock.monotonicMillis() < deadline)
      await this.clock.sleep(DRAIN_CHECK_MILLIS);
    this.activeRuns.abortAll('lost');
    await Promise.all([this.signals.stop(), this.lease.end()]);
  }
}
