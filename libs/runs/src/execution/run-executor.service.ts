import { Inject, Injectable } from '@nestjs/common';
import { DomainError, type JsonObject, Semaphore } from '@app/kernel';
import { isTransientDatabaseFailure } from '@app/platform/database';
import { LOGGER, type Logger, runInContext } from '@app/platform/observability';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { RunAttemptsService } from './run-attempts.service.js';
import { RunClaimsService } from './run-claims.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunTelemetryService } from './run-telemetry.service.js';

export abstract class RunReleasedListener {
  /** If the process dies, the method is not called, so implementations must also poll. */
  abstract runReleased(run: { workspaceId: string; trigger: JsonObject }): void;
}

@Injectable()
export class RunExecutorService {
  private readonly slots: Semaphore;

  constructor(
    private readonly claims: RunClaimsService,
    private readonly attempts: RunAttemptsService,
    private readonly listener: RunReleasedListener,
    private readonly telemetry: RunTelemetryService,
    @Inject(workerConfig.KEY) { workerConcurrency }: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.slots = new Semaphore(workerConcurrency);
  }

  /**
   * If several processes try to execute a run, only one of them claims it. Resolves when the run no longer counts
   * against the concurrency limit of this process. At that time, the outcome of the run may not be recorded yet.
   */
  async executeRun(runId: string): Promise<void> {
    await this.slots.run(async () => {
      const run = await this.claims.claimRun(runId);
      if (run) await new Promise<void>((resolve) => this.begin(run, resolve));
    });
  }

  /** Does not wait until the runs end. */
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
   * Never rejects. Calls `leave` when the outcome of the run is known, before it is recorded. While Postgres records
   * the outcome, this process can already execute another run.
   */
  private carryOut(run: ClaimedRun, leave: () => void): Promise<void> {
    return runInContext({ runId: run.id, workspaceId: run.workspaceId }, async () => {
      try {
        await this.telemetry.duringAttempt(run, () => this.attempts.attemptRun(run, leave));
      } catch (error) {
        await this.recordFailedAttempt(run, error).catch((failure: unknown) => {
          this.logger.error({ err: failure }, 'runs: recording a failed attempt failed');
        });
      }
      this.listener.runReleased(run);
    });
  }

  /**
   * Any other error is a defect of the service, or the values of the run are too large. The run then fails, because the
   * next attempt would fail too.
   */
  private async recordFailedAttempt(run: ClaimedRun, error: unknown): Promise<void> {
    if (isInfrastructureFailure(error)) {
      this.logger.warn({ err: error }, 'runs: attempt failed, run released');
      await this.claims.releaseRun(run);
    } else {
      this.logger.error({ err: error }, 'runs: attempt failed');
      await this.claims.failRun(run, error);
    }
  }
}

function isInfrastructureFailure(error: unknown): boolean {
  return isTransientDatabaseFailure(error) || (error instanceof DomainError && error.kind === 'unavailable');
}
