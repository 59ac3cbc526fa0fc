import { Clock } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { DocumentPurgeRepository } from './document-purge.repository.js';

const EVERY_MILLIS = 30_000;
const PASSAGES_AT_ONCE = 500;

/**
 * Searches already exclude these rows, so purging only frees storage. Row locks prevent two workers from purging the
 * same rows.
 */
@Injectable()
export class DocumentPurgeService extends PeriodicTask {
  constructor(
    private readonly transactions: Transactions,
    private readonly rows: DocumentPurgeRepository,
    clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(clock, {
      everyMillis: EVERY_MILLIS,
      waitsFirst: true,
      work: () => this.purgeBatch(),
      onError: (error) => logger.warn({ err: error }, 'knowledge: purging deleted documents failed'),
    });
  }

  purgeBatch(): Promise<'again' | 'done'> {
    return this.transactions.run(async (transaction) => {
      const base = await this.rows.lockBase(transaction);
      if (base === undefined) return this.purgeStaleGeneration(transaction);
      await this.rows.purgeDocuments(base, PASSAGES_AT_ONCE, transaction);
      return 'again';
    });
  }

  private async purgeStaleGeneration(transaction: Transaction): Promise<'again' | 'done'> {
    const generation = await this.rows.lockStaleGeneration(transaction);
    if (!generation) return 'done';
    await this.rows.purgeGeneration(generation, PASSAGES_AT_ONCE, transaction);
    return 'again';
  }
}
