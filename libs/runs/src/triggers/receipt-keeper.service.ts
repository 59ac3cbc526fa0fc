import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { TriggerJournal } from './trigger-journal.js';

const EVERY_MILLIS = 60_000;
const BATCH = 1_000;

/** Forgets events whose repetitions need not be recognised any more. Every worker does this; they do not get in each other's way. */
@Injectable()
export class ReceiptKeeper {
  private readonly stopped = new AbortController();
  private keeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly journal: TriggerJournal,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    this.keeping = this.keep();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.keeping;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await this.clock.sleep(EVERY_MILLIS, signal);
      await this.forget(signal);
    }
  }

  private async forget(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted && (await this.journal.forgetReceipts(BATCH)) === BATCH);
    } catch (error) {
      this.logger.warn({ err: error }, 'old trigger receipts could not be forgotten');
    }
  }
}
