import { randomUUID } from 'node:crypto';
import { Clock } from '@app/kernel';
import { StorageAlarmService } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunStore } from '../store/run.store.js';
import { WorkerLeaseService } from './worker-lease.service.js';

/** Pause before a release, so that the next attempt does not meet the same failure at once. */
const GIVE_BACK_AFTER_MILLIS = 1_000;

/** Claims runs for this process while its lease is valid, it is not draining and the storage has no problem. */
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
   * Fails a run whose attempt met a defect of the service, because the next attempt would meet it too. Does nothing
   * without a lease: another worker recovers the run.
   */
  async failRun(run: ClaimedRun): Promise<void> {
    if (!this.lease.holds()) return;
    const op = randomUUID();
    const error = {
      code: 'internal_error',
      message: 'The service failed while carrying out the run.',
      step: null,
    } as const;
    const write = { results: [], notes: [], outcome: { status: 'failed', error } } as const;
    await this.lease.retryWhileHeld(() => this.store.finish(run, op, write));
  }

  /**
   * After a pause, releases a run whose attempt failed because a dependency was unavailable. Does nothing without a
   * lease.
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
