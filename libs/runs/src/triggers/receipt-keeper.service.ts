import { Clock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { TriggerJournal } from './trigger-journal.js';

const EVERY_MILLIS = 60_000;
const BATCH = 1_000;

/** Forgets events whose repetitions need not be recognised any more. Every worker does this; they do not get in each other's way. */
@Injectable()
export class ReceiptKeeper {
  private readonly keeping: PeriodicTask;

  constructor(journal: TriggerJournal, clock: Clock, @Inject(LOGGER) logger: Logger) {
    this.keeping = new PeriodicTask(clock, {
      everyMillis: EVERY_MILLIS,
      waitsFirst: true,
      work: async () => ((await journal.forgetReceipts(BATCH)) === BATCH ? 'again' : 'done'),
      onError: (error) => logger.warn({ err: error }, 'old trigger receipts could not be forgotten'),
    });
  }

  start(): void {
    this.keeping.start();
  }

  stop(): Promise<void> {
    return this.keeping.stop();
  }
}
