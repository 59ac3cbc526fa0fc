import { Clock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { type ReconciledPart, ReconciledParts } from './reconciled-parts.js';

/**
 * Puts right what a dead process left behind, ends what nobody answered or began in time, and carries on with what a stop or
 * a resume began. Every worker does this; the state machine makes sure that each run is recovered once and each approval
 * expires once, so any number of them at the same time is harmless.
 */
@Injectable()
export class RunReconciler {
  private readonly reconciling: PeriodicTask;

  constructor(
    private readonly parts: ReconciledParts,
    clock: Clock,
    @Inject(ENV) env: Env,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.reconciling = new PeriodicTask(clock, {
      everyMillis: env.reconcileMillis,
      waitsFirst: true,
      work: (signal) => this.reconcile(signal),
      onError: (error) => logger.warn({ err: error }, 'reconciling failed'),
    });
  }

  start(): void {
    this.reconciling.start();
  }

  stop(): Promise<void> {
    return this.reconciling.stop();
  }

  private async reconcile(signal: AbortSignal): Promise<void> {
    for (const part of this.parts.all) await this.attempt(part, signal);
  }

  /** A part that fails is left to the next round, and keeps none of the others. */
  private async attempt({ name, work }: ReconciledPart, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await work(signal);
    } catch (error) {
      this.logger.warn({ err: error, part: name }, 'reconciling failed');
    }
  }
}
