import { randomUUID } from 'node:crypto';
import { Clock } from '@app/kernel';
import { StorageAlarmService } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunStore } from '../store/run.store.js';
import { WorkerLeaseService } from './worker-lease.service.js';

/** The next attempt does not meet the same failure at once. */
const GIVE_BACK_AFTER_MILLIS = 1_000;

/** Claims runs for this process while its lease holds and it is not about to end. */
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

  /** The run that has been due the longest, if one is due. */
  claimNextRun(): Promise<ClaimedRun | undefined> {
    return this.ask((op) => this.store.claimNext(this.lease.workerId, op));
  }

  /**
   * Ends a run whose attempt broke off because of a defect of the service: while this process holds it nobody else would
   * take it, and it would break off again. Without a lease it is left to whoever recovers it.
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
   * Gives a run back whose attempt broke off because something that the service needs was away, after a pause. Without a lease it
   * is left to the worker that recovers it.
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
