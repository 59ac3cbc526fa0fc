import { randomUUID } from 'node:crypto';
import { Clock } from '@app/kernel';
import { StorageAlarmService, wasRefused } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ActiveRunsService } from './active-runs.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { MAX_RECOVERIES, RunStore } from '../store/run.store.js';
import { StatementTimeouts, WorkerLeaseService } from './worker-lease.service.js';

/** Without the pause, the next attempt could fail immediately for the same reason. */
const GIVE_BACK_AFTER_MILLIS = 1_000;
/** Fewer than for a write, because a claim that is repeated occupies a place of the worker. */
const MAX_CLAIM_TIMEOUTS = 3;

const FAILURES = {
  internal_error: 'The run failed because of an internal error of the service.',
  recording_failed:
    'The database did not record a step of the run within its time limit, although the worker repeated the write ten times. The values that the run records are probably too large.',
} as const;

@Injectable()
export class RunClaimsService {
  constructor(
    private readonly store: RunStore,
    private readonly lease: WorkerLeaseService,
    private readonly activeRuns: ActiveRunsService,
    private readonly clock: Clock,
    private readonly storage: StorageAlarmService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * If Postgres cannot read the recorded steps of the run within its time limit, defers the run. After several
   * attempts, the run fails. Otherwise it would be claimed for ever.
   */
  async claimRun(runId: string): Promise<ClaimedRun | undefined> {
    try {
      return await this.ask((op) => this.store.claim(runId, this.lease.workerId, op));
    } catch (error) {
      if (!isUnclaimable(error)) throw error;
      const verdict = await this.store.deferUnclaimable(runId, MAX_RECOVERIES);
      this.logger.warn({ err: error, runId, verdict }, 'runs: claiming a run failed');
      return undefined;
    }
  }

  /**
   * If that fails because of the run, claims this run by its id, so that it is deferred and does not block the runs
   * after it.
   */
  async claimNextRun(): Promise<ClaimedRun | undefined> {
    try {
      return await this.ask((op) => this.store.claimNext(this.lease.workerId, op));
    } catch (error) {
      const due = isUnclaimable(error) ? await this.store.nextDue() : undefined;
      if (due === undefined) throw error;
      return this.claimRun(due);
    }
  }

  /**
   * The run is not retried, because the next attempt would fail in the same way. Does nothing if this process has lost
   * its lease, because another worker then recovers the run.
   */
  async failRun(run: ClaimedRun, cause: unknown): Promise<void> {
    if (!this.lease.holds()) return;
    const op = randomUUID();
    const code = cause instanceof StatementTimeouts ? 'recording_failed' : 'internal_error';
    const error = { code, message: FAILURES[code], step: null } as const;
    const write = { results: [], notes: [], outcome: { status: 'failed', error } } as const;
    await this.lease.retryWhileHeld(() => this.store.finish(run, op, write));
  }

  /** Does nothing if this process has lost its lease. */
  async releaseRun(run: ClaimedRun): Promise<void> {
    await this.clock.sleep(GIVE_BACK_AFTER_MILLIS);
    if (this.lease.holds()) await this.lease.retryWhileHeld(() => this.store.release(run, []));
  }

  private async ask(claim: (op: string) => Promise<ClaimedRun | undefined>): Promise<ClaimedRun | undefined> {
    if (this.activeRuns.isDraining || !this.lease.holds() || this.storage.problem !== undefined) return undefined;
    const op = randomUUID();
    return this.lease.retryWhileHeld(() => claim(op), MAX_CLAIM_TIMEOUTS);
  }
}

function isUnclaimable(error: unknown): boolean {
  return error instanceof StatementTimeouts || wasRefused(error);
}
