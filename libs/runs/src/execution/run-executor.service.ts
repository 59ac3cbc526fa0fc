import { DomainError } from '@app/kernel';
import { isTransientDatabaseFailure } from '@app/platform/database';
import { LOGGER, type Logger, runInContext } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { RunAttemptsService } from './run-attempts.service.js';
import { RunClaimsService } from './run-claims.service.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { RunReleasedListener } from './run-released.listener.js';
import { RunSemaphore } from './run-semaphore.js';
import { RunTelemetryService } from './run-telemetry.service.js';

/** Claims runs and carries them out, as many at a time as the process has slots. */
@Injectable()
export class RunExecutorService {
  constructor(
    private readonly claims: RunClaimsService,
    private readonly attempts: RunAttemptsService,
    private readonly slots: RunSemaphore,
    private readonly listener: RunReleasedListener,
    private readonly telemetry: RunTelemetryService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Carries out the run if it is there to be had. Calling it twice for one run is harmless: one of them gets it. Resolves when
   * there is a slot again, which is before the end of the run is written down.
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
   * Takes the runs that have been due the longest until none is due or no slot is free. Resolves without waiting for
   * their end; each that ends looks for another one.
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

  /** `leave` is called as soon as the slot can be given back, and once more at the end. */
  private begin(run: ClaimedRun, leave: () => void): void {
    void this.carryOut(run, leave).then(leave);
  }

  private async nextDueRun(): Promise<ClaimedRun | undefined> {
    try {
      return await this.claims.claimNextRun();
    } catch (error) {
      this.logger.warn({ err: error }, 'looking for due runs failed');
      return undefined;
    }
  }

  /**
   * Never rejects: what cannot be written is left to the attempt after this one, which the lease sees to. Its slot is free for
   * another run while its own end is written down: then only the database has something to do.
   */
  private carryOut(run: ClaimedRun, leave: () => void): Promise<void> {
    return runInContext({ runId: run.id, workspaceId: run.workspaceId }, async () => {
      try {
        await this.telemetry.duringAttempt(run, () => this.attempts.attemptRun(run, leave));
      } catch (error) {
        await this.brokeOff(run, error).catch((failure: unknown) => {
          this.logger.error({ err: failure }, 'a run could not be ended or given back');
        });
      }
      this.listener.runReleased(run);
    });
  }

  /** A failure of what the service needs never ends a run; a defect of the service does, because it would repeat. */
  private async brokeOff(run: ClaimedRun, error: unknown): Promise<void> {
    if (isInfrastructureFailure(error)) {
      this.logger.warn({ err: error }, 'an attempt at a run broke off; the run is given back');
      await this.claims.releaseRun(run);
    } else {
      this.logger.error({ err: error }, 'an attempt at a run broke off');
      await this.claims.failRun(run);
    }
  }
}

function isInfrastructureFailure(error: unknown): boolean {
  return isTransientDatabaseFailure(error) || (error instanceof DomainError && error.kind === 'unavailable');
}
