import { randomUUID } from 'node:crypto';
import { Clock } from '@app/kernel';
import { StorageAlarmService } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunStore } from '../store/run.store.js';
import { WorkerLeaseService } from './worker-lease.service.js';

/**
 * Pause in milliseconds between a failed attempt and the release of its run. Without the pause, the next attempt could
 * fail immediately for the same reason.
 */
const GIVE_BACK_AFTER_MILLIS = 1_000;

/**
 * Claims runs for this process. Claims nothing while the worker's lease is invalid, while the process shuts down, or
 * while the embedded database has too little disk space.
 */
@Injectable()
export class RunClaimsService {
  constructor(
    private readonly store: RunStore,
    private readonly lease: WorkerLeaseService,
    private readonly activeRuns: ActiveRunsService,
    private readonly clock: Clock,
    private readonly storage: StorageAlarmService,
  ) {}

  claimRun(runId: string): Promise<ClaimedRun | undefined> {
    return this.ask((op) => this.store.claim(runId, this.lease.workerId, op));
  }

  claimNextRun(): Promise<ClaimedRun | undefined> {
    return this.ask((op) => this.store.claimNext(this.lease.workerId, op));
  }

  /**
   * Fails a run whose attempt failed because of a defect of the service. The run is not retried, because the next
   * attempt would fail in the same way. Does nothing if this process has lost its lease, because another worker then
   * recovers the run.
   */
  async failRun(run: ClaimedRun): Promise<void> {
    if (!this.lease.holds()) return;
    const op = randomUUID();
    const error = {
      code: 'internal_error',
      message: 'The run failed because of an internal error of the service.',
      step: null,
    } as const;
    const write = { results: [], notes: [], outcome: { status: 'failed', error } } as const;
    await this.lease.retryWhileHeld(() => this.store.finish(run, op, write));
  }

  /**
   * Releases, after a pause, a run whose attempt failed because a dependency was unavailable. Does nothing if this
   * process has lost its lease.
   */
  async releaseRun(run: ClaimedRun): Promise<void> {
    await this.clock.sleep(GIVE_BACK_AFTER_MILLIS);
    if (this.lease.holds()) await this.lease.retryWhileHeld(() => this.store.release(run, []));
  }

  private async ask(claim: (op: string) => Promise<ClaimedRun | undefined>): Promise<ClaimedRun | undefined> {
    if (this.activeRuns.isDraining || !this.lease.holds() || this.storage.problem !== undefined) return undefined;
    const op = randomUUID();
    return this.lease.retryWhileHeld(() => claim(op));
  }
}
