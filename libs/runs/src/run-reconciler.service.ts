import { Clock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { LOGGER, type Logger } from '@app/platform/observability';
import { JobQueue } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { executeRun } from './run.jobs.js';
import { RunJournal } from './run-journal.js';

const BATCH = 100;
// After so many lost workers in a row the run itself is the likeliest culprit.
const MAX_RECOVERIES = 5;

/**
 * Puts right what a dead process left behind. Every worker does this; the state machine makes sure that each run is
 * recovered once, so any number of them at the same time is harmless.
 */
@Injectable()
export class RunReconciler {
  private readonly stopped = new AbortController();
  private reconciling: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: RunJournal,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.reconciling = this.repeat();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.reconciling;
  }

  private async repeat(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      await this.clock.sleep(this.env.reconcileMillis, this.stopped.signal);
      try {
        await this.recoverLostRuns();
      } catch (error) {
        this.logger.warn({ err: error }, 'reconciling failed');
      }
    }
  }

  private async recoverLostRuns(): Promise<void> {
    for (const runId of await this.journal.lostRuns(BATCH)) {
      if (this.stopped.signal.aborted) return;
      const verdict = await this.journal.recover(runId, MAX_RECOVERIES);
      if (verdict !== 'noop') this.logger.warn({ runId, verdict }, 'a run had lost its worker');
      if (verdict === 'requeued') this.queue.ring(executeRun, { runId });
    }
  }
}
