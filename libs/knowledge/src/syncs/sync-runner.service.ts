import { DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { SourceError, type SourceVisit } from '@app/connectors';
import { ExtractionPool } from '@app/platform/extraction';
import { SyncBatchService } from './sync-batch.service.js';
import { type ClaimedSync, SyncLost } from './claimed-sync.js';
import { CrawledPagesRepository } from './crawled-pages.repository.js';
import { SourceAccessService } from './source-access.service.js';
import { SourceConnectorsService } from './source-connectors.service.js';
import { SyncOutcomeService } from './sync-outcome.service.js';
import { SyncStore } from './sync.store.js';
import type { SyncError } from '../sources/store/source-status.js';

/** Why a sync is to stop before its end: what its signal aborts with. */
export type SyncInterruption = 'cancelled' | 'lost' | 'released';

/** Claims without an end. A source that brings down every process that takes it must not go on for ever. */
const MOST_ATTEMPTS = 30;
const RETRY_MILLIS = 5_000;

/** Carries out one claimed sync from its beginning, or from where the one before was left. */
@Injectable()
export class SyncRunnerService {
  constructor(
    private readonly connectors: SourceConnectorsService,
    private readonly pages: CrawledPagesRepository,
    private readonly access: SourceAccessService,
    private readonly batches: SyncBatchService,
    private readonly ending: SyncOutcomeService,
    private readonly journal: SyncStore,
    private readonly extraction: ExtractionPool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Never rejects: a sync ends with its outcome, is given back, or is another's. */
  async runSync(sync: ClaimedSync, signal: AbortSignal): Promise<void> {
    try {
      await this.visit(sync, signal);
    } catch (error) {
      await this.settle(sync, signal, error).catch((cause: unknown) => {
        // Its lease runs out, and somebody else takes it.
        if (!(cause instanceof SyncLost))
          this.logger.warn({ err: cause, sync: sync.id }, 'a sync could not be settled');
      });
    }
  }

  private async visit(sync: ClaimedSync, signal: AbortSignal): Promise<void> {
    if (sync.attempt > MOST_ATTEMPTS)
      throw new SourceError('worker_lost', 'Every worker that took this sync has died of it.');
    const { connector, config } = await this.connectors.open(sync);
    let flaw: SyncError | null = null;
    let { checkpoint } = sync;
    const ports: Omit<SourceVisit, 'checkpoint'> = {
      config,
      signal,
      pages: this.pages.of(sync),
      tokens: this.access.of(sync),
      extract: (request) => this.extraction.extract(request, signal),
      isIncomplete: (error) => (flaw ??= error),
    };
    for (let isComplete = false; !isComplete;) {
      // A connector reads from the checkpoint of its visit that an earlier one was broken off, so each visit keeps its own.
      const visit: SourceVisit = { ...ports, checkpoint };
      for await (const batch of connector.enumerate(visit)) {
        signal.throwIfAborted();
        await this.batches.runBatch(sync, batch, connector.parallelism, signal);
        checkpoint = batch.checkpoint ?? checkpoint;
      }
      signal.throwIfAborted();
      const delay = await this.batches.finishIndexing(sync, signal);
      signal.throwIfAborted();
      isComplete = await this.ending.complete(sync, { flaw, delay, isAuthoritative: connector.isAuthoritative });
    }
  }

  private async settle(sync: ClaimedSync, signal: AbortSignal, error: unknown): Promise<void> {
    if (error instanceof SyncLost) return;
    if (signal.aborted) return this.interrupt(sync, signal.reason as SyncInterruption);
    if (error instanceof SourceError) return this.ending.fail(sync, { code: error.code, message: error.message });
    if (error instanceof DomainError && error.code === 'not_found') return this.ending.cancel(sync);
    if (error instanceof DomainError && error.code === 'unavailable') return this.journal.release(sync, RETRY_MILLIS);
    this.logger.error({ err: error, sync: sync.id }, 'a sync failed in an unforeseen way');
    const message =
      'The sync failed in a way that was not foreseen. What was indexed stays; the log of the worker says more.';
    await this.ending.fail(sync, { code: 'internal_error', message });
  }

  private async interrupt(sync: ClaimedSync, interruption: SyncInterruption): Promise<void> {
    if (interruption === 'cancelled') await this.ending.cancel(sync);
    if (interruption === 'released') await this.journal.release(sync, 0);
  }
}
