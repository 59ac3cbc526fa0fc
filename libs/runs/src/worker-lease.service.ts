import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Clock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { Fleet } from './fleet.js';

/**
 * This process's claim to be alive. Everything that it owns it owns for as long as the lease lasts; once the lease is
 * over another worker may have its runs, so it stops and the process ends.
 */
@Injectable()
export class WorkerLease {
  readonly workerId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  /** Resolves when the lease is lost; the process must end and come back under another id. */
  readonly lost: Promise<void>;
  private declareLost: () => void;
  private readonly stopped = new AbortController();
  private deadline = 0;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly fleet: Fleet,
    private readonly activeRuns: ActiveRuns,
    private readonly clock: Clock,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
  }

  async begin(): Promise<void> {
    const asked = this.clock.monotonicMillis();
    await this.fleet.register({ id: this.workerId, host: hostname(), pid: process.pid }, this.env.leaseMillis);
    this.deadline = asked + this.env.leaseMillis;
    this.beating = this.keepBeating();
  }

  /** Whether the lease certainly still holds: counted from before the last beat was sent, on a clock that never stops. */
  holds(): boolean {
    return this.clock.monotonicMillis() < this.deadline;
  }

  /**
   * Gives up runs that were claimed for this process and never got here, which a lost answer can bring about; how many it
   * was. A claim may be on its way for a lease at the most, after that nobody waits for it.
   */
  disownForgottenRuns(): Promise<number> {
    return this.fleet.disown(this.workerId, this.activeRuns.list(), this.env.leaseMillis);
  }

  /** Ends the lease; whatever the process still owns is recovered by others at once. */
  async end(): Promise<void> {
    this.stopped.abort();
    await this.beating;
    await this.fleet.retire(this.workerId);
  }

  private async keepBeating(): Promise<void> {
    const { signal } = this.stopped;
    for (;;) {
      await this.clock.sleep(this.env.beatMillis, signal);
      if (signal.aborted) break;
      if (!(await this.beat())) {
        this.giveUp();
        break;
      }
    }
  }

  /** False when the lease is over. A beat that fails is repeated for as long as the lease lasts. */
  private async beat(): Promise<boolean> {
    const asked = this.clock.monotonicMillis();
    try {
      const { alive, lost, stopped } = await this.fleet.beat(
        this.workerId,
        this.env.leaseMillis,
        this.activeRuns.list(),
      );
      if (!alive) return false;
      this.deadline = asked + this.env.leaseMillis;
      for (const runId of lost) this.activeRuns.abort(runId, 'lost');
      for (const runId of stopped) this.activeRuns.abort(runId, 'stopped');
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'the heartbeat failed');
      return this.holds();
    }
  }

  private giveUp(): void {
    this.logger.error({ workerId: this.workerId }, 'the lease is lost: ending this process');
    this.activeRuns.abortAll('lease_lost');
    this.declareLost();
  }
}
