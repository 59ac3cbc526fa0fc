import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Clock, DomainError } from '@app/kernel';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import { WorkerStore } from '../store/worker.store.js';

/** How long a process whose lease is over may still write down what became of its calls. */
const LAST_WORDS_MILLIS = 1_000;
const LOOK_MILLIS = 50;
const REGISTER_AGAIN_MILLIS = 1_000;
const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 1_000;

/** Permission to begin a call, for a short while from the moment it was asked for. */
export type StartPermission = () => boolean;

/**
 * This process's claim to be alive. Everything that it owns it owns for as long as the lease lasts; once the lease is
 * over another worker may have its runs, so it stops and the process ends.
 */
@Injectable()
export class WorkerLeaseService {
  readonly workerId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  /** Resolves when the lease is lost; the process must end and come back under another id. */
  readonly lost: Promise<void>;
  private declareLost: () => void;
  private readonly stopped = new AbortController();
  private deadline = 0;
  private heartbeats: Promise<void> = Promise.resolve();

  constructor(
    private readonly workers: WorkerStore,
    private readonly activeRuns: ActiveRunsService,
    private readonly clock: Clock,
    @Inject(workerConfig.KEY) private readonly config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
  }

  /** Resolves when the lease is there: waits while the database cannot take it. */
  async begin(): Promise<void> {
    while (!(await this.register())) await this.clock.sleep(REGISTER_AGAIN_MILLIS, this.stopped.signal);
    this.heartbeats = this.sendHeartbeats();
  }

  private async register(): Promise<boolean> {
    const asked = this.clock.monotonicMillis();
    try {
      await this.workers.register({ id: this.workerId, host: hostname(), pid: process.pid }, this.config.leaseMillis);
      this.deadline = asked + this.config.leaseMillis;
      return true;
    } catch (error) {
      const isTransient = error instanceof DomainError && error.code === 'unavailable';
      if (!isTransient || this.stopped.signal.aborted) throw error;
      this.logger.warn({ err: error }, 'the worker cannot register; waiting for the database');
      return false;
    }
  }

  /** Whether the lease certainly still holds: counted from before the last beat was sent, on a clock that never stops. */
  holds(): boolean {
    return this.clock.monotonicMillis() < this.deadline;
  }

  /**
   * Permission to begin calls. Between the commit of an intent and the first byte of its call the process may be suspended for
   * any length of time, and the workspace may be stopped or the run given to another worker meanwhile. So the permission lapses
   * with the lease and by the monotonic clock, which continues during a suspension. It is requested before the intent is sent to
   * the database, and checked immediately before the first byte leaves.
   */
  startPermission(): StartPermission {
    const askedAt = this.clock.monotonicMillis();
    return () => this.holds() && this.clock.monotonicMillis() - askedAt < this.config.startBudgetMillis;
  }

  /**
   * Repeats a write whose answer was lost, or that the database could not take, for as long as the lease lasts. The `op` of the
   * write makes repeating it harmless.
   * @throws what the last try threw: at once if repeating cannot help, else when the lease is over
   */
  async retryWhileHeld<T>(write: () => Promise<T>): Promise<T> {
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS)) {
      try {
        return await write();
      } catch (error) {
        const isTransient = error instanceof DomainError && error.code === 'unavailable';
        if (!isTransient || !this.holds()) throw error;
        await this.clock.sleep(pause);
      }
    }
  }

  /**
   * Gives up runs that were claimed for this process and never got here, which a lost answer can bring about: what became of
   * each. A claim may be on its way for a lease at the most, after that nobody waits for it.
   */
  releaseUnknownRuns(maxRecoveries: number): ReturnType<WorkerStore['releaseOwnership']> {
    const olderMillis = this.config.leaseMillis;
    return this.workers.releaseOwnership(this.workerId, this.activeRuns.list(), { olderMillis, maxRecoveries });
  }

  /** Ends the lease; whatever the process still owns is recovered by others at once. */
  async end(): Promise<void> {
    this.stopped.abort();
    await this.heartbeats;
    await this.workers.retire(this.workerId);
  }

  private async sendHeartbeats(): Promise<void> {
    const { signal } = this.stopped;
    for (;;) {
      await this.clock.sleep(this.config.heartbeatMillis, signal);
      if (signal.aborted) break;
      if (!(await this.sendHeartbeat())) {
        await this.giveUp();
        break;
      }
    }
  }

  /** False when the lease is over. A beat that fails is repeated for as long as the lease lasts. */
  private async sendHeartbeat(): Promise<boolean> {
    const asked = this.clock.monotonicMillis();
    try {
      const { alive, lost, stopped } = await this.workers.heartbeat(
        this.workerId,
        this.config.leaseMillis,
        this.activeRuns.list(),
      );
      if (!alive) return false;
      this.deadline = asked + this.config.leaseMillis;
      for (const runId of lost) this.activeRuns.abort(runId, 'lost');
      for (const runId of stopped) this.activeRuns.abort(runId, 'stopped');
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'the heartbeat failed');
      return this.holds();
    }
  }

  /**
   * Nothing can begin any more. Answers that reached a suspended process are still to be read though, and what became of
   * the calls belongs into their traces: it may answer the very question that a person is being asked.
   */
  private async giveUp(): Promise<void> {
    this.deadline = -Infinity;
    this.logger.error({ workerId: this.workerId }, 'the lease is lost: ending this process');
    const begun = this.clock.monotonicMillis();
    await this.clock.sleep(LOOK_MILLIS);
    this.activeRuns.abortAll('lease_lost');
    while (this.activeRuns.size > 0 && this.clock.monotonicMillis() - begun < LAST_WORDS_MILLIS)
      await this.clock.sleep(LOOK_MILLIS);
    this.declareLost();
  }
}
