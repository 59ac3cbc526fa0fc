import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '@app/kernel';
import { isTransientDatabaseFailure } from '@app/platform/database';
import { LOGGER, type Logger, runInContext } from '@app/platform/observability';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { RunAttemptsService } from './run-attempts.service.js';
import { RunClaimsService } from './run-claims.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunReleasedListener } from './run-released.listener.js';
import { RunTelemetryService } from './run-telemetry.service.js';

@Injectable()
export class RunExecutorService {
  private readonly slots: RunSemaphore;

  constructor(
    private readonly claims: RunClaimsService,
    private readonly attempts: RunAttemptsService,
    private readonly listener: RunReleasedListener,
    private readonly telemetry: RunTelemetryService,
    @Inject(workerConfig.KEY) { workerConcurrency }: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.slots = new RunSemaphore(workerConcurrency);
  }

  /**
   * Executes the run if it can be claimed. If the method is called twice for one run, only one call claims the run.
   * Resolves when the slot of the run is free again, which is before the outcome of the run is recorded.
   */
  async executeRun(runId: string): Promise<void> {
    const free = await this.slots.acquire();
    try {
      const run = await this.claims.claimRun(runId);
      if (run) await new Promise<void>((resolve) => this.begin(run, resolve));
    } finally {
      free();
    }
  }

  /**
   * Claims and begins due runs, longest due first, until no run is due or no slot is free. Does not wait for the runs
   * to end. Each run that ends triggers another call of this method.
   */
  async takeDueRuns(): Promise<void> {
    for (let slot = this.slots.tryAcquire(); slot; slot = this.slots.tryAcquire()) {
      const free = slot;
      const run = await this.nextDueRun();
      if (!run) {
        free();
        return;
      }
      const leave = (): void => {
        if (free()) void this.takeDueRuns();
      };
      this.begin(run, leave);
    }
  }

  /** Begins the run. Calls `leave` when the slot can be released, and again when the run is over. */
  private begin(run: ClaimedRun, leave: () => void): void {
    void this.carryOut(run, leave).then(leave);
  }

  private async nextDueRun(): Promise<ClaimedRun | undefined> {
    try {
      return await this.claims.claimNextRun();
    } catch (error) {
      this.logger.warn({ err: error }, 'runs: claiming due runs failed');
      return undefined;
    }
  }

  /**
   * Never rejects: if a write fails, the run is recovered and the next attempt continues it. The slot is released
   * before the outcome is recorded, because then only Postgres has work.
   */
  private carryOut(run: ClaimedRun, leave: () => void): Promise<void> {
    return runInContext({ runId: run.id, workspaceId: run.workspaceId }, async () => {
      try {
        await this.telemetry.duringAttempt(run, () => this.attempts.attemptRun(run, leave));
      } catch (error) {
        await this.recordFailedAttempt(run, error).catch((failure: unknown) => {
          this.logger.error({ err: failure }, 'run: failed to record the failed attempt');
        });
      }
      this.listener.runReleased(run);
    });
  }

  /**
   * Releases the run if a dependency of the service failed. Fails the run if a defect of the service caused the
   * failure, because the next attempt would fail too.
   */
  private async recordFailedAttempt(run: ClaimedRun, error: unknown): Promise<void> {
    if (isInfrastructureFailure(error)) {
      this.logger.warn({ err: error }, 'run: attempt failed, run released');
      await this.claims.releaseRun(run);
    } else {
      this.logger.error({ err: error }, 'run: attempt failed');
      await this.claims.failRun(run);
    }
  }
}

function isInfrastructureFailure(error: unknown): boolean {
  return isTransientDatabaseFailure(error) || (error instanceof DomainError && error.kind === 'unavailable');
}

/** Releases the slot. Returns false if it was released before. */
export type ReleaseSlot = () => boolean;

/** Limits the runs that this process executes at the same time. */
export class RunSemaphore {
  private readonly waiting: (() => void)[] = [];

  /** `free`: number of slots. */
  constructor(private free: number) {}

  /** Resolves when a slot is free, in the order of asking. */
  async acquire(): Promise<ReleaseSlot> {
    const slot = this.tryAcquire();
    if (slot) return slot;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.occupied();
  }

  tryAcquire(): ReleaseSlot | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return this.occupied();
  }

  private occupied(): ReleaseSlot {
    let isReleased = false;
    return () => {
      if (isReleased) return false;
      isReleased = true;
      // A released slot goes directly to the longest waiter.
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
      return true;
    };
  }
}
