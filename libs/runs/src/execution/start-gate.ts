import { Clock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerLease } from './worker-lease.service.js';

/** Permission to begin a call, for a short while from the moment it was asked for. */
export type StartPermission = () => boolean;

/**
 * Between the commit of an intent and the first byte of its call the process may be suspended for any length of time, and
 * the workspace may be stopped or the run given to another worker meanwhile. So permission lapses: by the monotonic clock,
 * which goes on during a suspension, and with the lease.
 */
@Injectable()
export class StartGate {
  constructor(
    private readonly lease: WorkerLease,
    private readonly clock: Clock,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** Called before the intent is sent to the database; the answer is asked for immediately before the first byte leaves. */
  ask(): StartPermission {
    const askedAt = this.clock.monotonicMillis();
    return () => this.lease.holds() && this.clock.monotonicMillis() - askedAt < this.env.startBudgetMillis;
  }
}
