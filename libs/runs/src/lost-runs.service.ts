import { LOGGER, type Logger } from '@app/platform/observability';
import { JobQueue } from '@app/platform/queue';
import { Inject, Injectable } from '@nestjs/common';
import { executeRun } from './run.jobs.js';
import { RunJournal } from './run-journal.js';
import { WorkerLease } from './worker-lease.service.js';

const BATCH = 100;
// After so many lost workers in a row the run itself is the likeliest culprit.
const MAX_RECOVERIES = 5;

/** Takes runs from workers whose lease is over, and gives up those that this worker owns without knowing it. */
@Injectable()
export class LostRuns {
  constructor(
    private readonly journal: RunJournal,
    private readonly lease: WorkerLease,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async recover(signal: AbortSignal): Promise<void> {
    const forgotten = await this.lease.disownForgottenRuns();
    if (forgotten > 0) this.logger.warn({ runs: forgotten }, 'runs were claimed for this worker without its knowing');
    for (const runId of await this.journal.lostRuns(BATCH)) {
      if (signal.aborted) return;
      const verdict = await this.journal.recover(runId, MAX_RECOVERIES);
      if (verdict !== 'noop') this.logger.warn({ runId, verdict }, 'a run had lost its worker');
      if (verdict === 'requeued') this.queue.ring(executeRun, { runId });
    }
  }
}
