import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Clock, DomainError } from '@app/kernel';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { isStatementTimeout } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import { WorkerStore } from '../store/worker.store.js';

/** Time in milliseconds after the lease is lost, in which the process may still record the results of its calls. */
const LAST_WORDS_MILLIS = 1_000;
const LOOK_MILLIS = 50;
const REGISTER_AGAIN_MILLIS = 1_000;
const FIRST_PAUSE_MILLIS = 50;
const MAX_PAUSE_MILLIS = 1_000;

/** Number of consecutive time limits after which a statement is not repeated. It never succeeds for this run. */
const MAX_TIMEOUTS = 10;

export class StatementTimeouts extends Error {}

export type StartPermission = () => boolean;

/**
 * While the lease is valid, the process owns its runs. After the lease has expired, other workers may claim these runs,
 * so the process must end.
 */
@Injectable()
export class WorkerLeaseService {
  readonly workerId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  /** The process must then end, and restart with another worker id. */
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

  /** Retries the registration while Postgres is unavailable. */
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
      this.logger.warn({ err: error }, 'worker: registration failed; waiting for the database');
      return false;
    }
  }

  /** The lease time begins immediately before the last successful heartbeat was sent. */
  holds(): boolean {
    return this.clock.monotonicMillis() < this.deadline;
  }

  /**
   * Request the function before the intent is sent to Postgres, and call it immediately before the first byte of the
   * call is sent. The operating system may suspend the process between the commit of the intent and the first byte of
   * the call. Therefore the permission expires after `startBudgetMillis`, or with the lease if that is earlier.
   */
  startPermission(): StartPermission {
    const askedAt = this.clock.monotonicMillis();
    return () => this.holds() && this.clock.monotonicMillis() - askedAt < this.config.startBudgetMillis;
  }

  /**
   * While the lease is valid, repeats it if Postgres is unavailable or the response is lost. A write contains an
   * operation id (`op`), so that it is safe to repeat.
   * @throws any error other than `unavailable` immediately, and the error `unavailable` when the lease has expired
   * @throws StatementTimeouts if the statement exceeds its time limit `maxTimeouts` times in a row
   */
  async retryWhileHeld<T>(write: () => Promise<T>, maxTimeouts = MAX_TIMEOUTS): Promise<T> {
    let timeouts = 0;
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 2, MAX_PAUSE_MILLIS)) {
      try {
        return await write();
      } catch (error) {
        const isTransient = error instanceof DomainError && error.code === 'unavailable';
        if (!isTransient || !this.holds()) throw error;
        timeouts = isStatementTimeout(error) ? timeouts + 1 : 0;
        if (timeouts === maxTimeouts)
          throw new StatementTimeouts(`a statement exceeded its time limit ${timeouts} times`, { cause: error });
        await this.clock.sleep(pause);
      }
    }
  }

  releaseUnknownRuns(maxRecoveries: number): ReturnType<WorkerStore['releaseOwnership']> {
    const olderMillis = this.config.leaseMillis;
    return this.workers.releaseOwnership(this.workerId, this.activeRuns.list(), { olderMillis, maxRecoveries });
  }

  /** Other workers recover the runs that the process still owns. */
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

  /** If the heartbeat fails, returns true while the lease is valid, and the next heartbeat retries. */
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
      this.logger.warn({ err: error }, 'worker: heartbeat failed');
      return this.holds();
    }
  }

  /**
   * If the process was suspended, responses to its calls may have arrived during the suspension. They are still
   * recorded, so that fewer calls have an unknown outcome.
   */
  private async giveUp(): Promise<void> {
    this.deadline = -Infinity;
    this.logger.error({ workerId: this.workerId }, 'worker: lease lost; ending this process');
    const begun = this.clock.monotonicMillis();
    await this.clock.sleep(LOOK_MILLIS);
    this.activeRuns.abortAll('lease_lost');
    while (this.activeRuns.size > 0 && this.clock.monotonicMillis() - begun < LAST_WORDS_MILLIS)
      await this.clock.sleep(LOOK_MILLIS);
    this.declareLost();
  }
}
