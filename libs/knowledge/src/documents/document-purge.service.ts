import { Clock } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { DeletedDocuments } from './document-purge.repository.js';
import { StaleGenerations } from './stale-generations.repository.js';

const EVERY_MILLIS = 30_000;
const PASSAGES_AT_ONCE = 500;

/**
 * Clears away what is deleted: documents, and those of bases that are; and passages of generations that another has replaced. Nobody has found it since the commit that deleted it; this
 * gives the room back, batch by batch. Every worker does this; they do not get in each other's way.
 */
@Injectable()
export class DocumentPurgeService {
  private readonly task: PeriodicTask;

  constructor(
    private readonly transactions: Transactions,
    private readonly deleted: DeletedDocuments,
    private readonly stale: StaleGenerations,
    clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.task = new PeriodicTask(clock, {
      everyMillis: EVERY_MILLIS,
      waitsFirst: true,
      work: () => this.purgeBatch(),
      onError: (error) => logger.warn({ err: error }, 'deleted documents could not be cleared away'),
    });
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** One batch of one base; `again` where there may be more. */
  purgeBatch(): Promise<'again' | 'done'> {
    return this.transactions.run(async (transaction) => {
      const base = await this.deleted.lockBase(transaction);
      if (base === undefined) return this.clearStale(transaction);
      await this.deleted.clear(base, PASSAGES_AT_ONCE, transaction);
      return 'again';
    });
  }

  private async clearStale(transaction: Transaction): Promise<'again' | 'done'> {
    const generation = await this.stale.lock(transaction);
    if (!generation) return 'done';
    await this.stale.clear(generation, PASSAGES_AT_ONCE, transaction);
    return 'again';
  }
}
