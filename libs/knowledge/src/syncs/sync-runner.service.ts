import { DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { SourceError, type SourceVisit } from '@app/connectors';
import { ExtractionService } from '@app/platform/extraction';
import { SyncBatchService } from './sync-batch.service.js';
import { type ClaimedSync, SyncLost } from './claimed-sync.js';
import { SourceTokensService } from '../sources/store/source-tokens.service.js';
import { SourceConnectorsService } from './source-connectors.service.js';
import { SyncOutcomeService } from './sync-outcome.service.js';
import { SyncStore } from './sync.store.js';
import type { SyncError } from '../sources/store/source-status.js';

/**
 * The reason why the abort signal interrupts a sync. `lost`: another worker may have claimed the sync. `released`: the
 * worker or the workspace is stopped, and the sync continues later.
 */
export type SyncInterruption = 'cancelled' | 'lost' | 'released';

/** It is limited because a source may crash every process that reads it. */
const MAX_ATTEMPTS = 30;
const RETRY_MILLIS = 5_000;

@Injectable()
export class SyncRunnerService {
  constructor(
    private readonly connectors: SourceConnectorsService,
    private readonly tokens: SourceTokensService,
    private readonly batches: SyncBatchService,
    private readonly outcomes: SyncOutcomeService,
    private readonly store: SyncStore,
    private readonly extraction: ExtractionService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Never rejects. Afterwards, the sync has an outcome, is released, or belongs to another worker. */
  async runSync(sync: ClaimedSync, signal: AbortSignal): Promise<void> {
    try {
      await this.visit(sync, signal);
    } catch (error) {
      await this.handleFailure(sync, signal, error).catch((cause: unknown) => {
        // Another worker claims the sync when its lease has expired.
        if (!(cause instanceof SyncLost))
          this.logger.warn({ err: cause, sync: sync.id }, 'knowledge: ending a sync failed');
      });
    }
  }

  private async visit(sync: ClaimedSync, signal: AbortSignal): Promise<void> {
    if (sync.attempt > MAX_ATTEMPTS)
      throw new SourceError(
        'worker_lost',
        'Every worker that executed this sync ended before the sync did. Check the size and the content of the source.',
      );
    const { connector, config } = await this.connectors.open(sync);
    let flaw: SyncError | null = null;
    let damaged = 0;
    let { checkpoint } = sync;
    const ports: Omit<SourceVisit, 'checkpoint'> = {
      config,
      signal,
      pages: this.store.crawledPagesOf(sync),
      tokens: this.tokens.accessOf(sync),
      extract: async (request) => {
        const extracted = await this.extraction.extract(request, signal);
        if (extracted.replaced !== undefined) damaged += 1;
        return extracted;
      },
      reportIncomplete: (error) => (flaw ??= error),
    };
    for (let isComplete = false; !isComplete;) {
      // Each pass continues from the last checkpoint and gets a new `visit` object. `visit.checkpoint` therefore does
      // not change while the connector reads the source.
      const visit: SourceVisit = { ...ports, checkpoint };
      for await (const batch of connector.enumerate(visit)) {
        signal.throwIfAborted();
        await this.batches.runBatch(sync, batch, connector.parallelism, signal);
        checkpoint = batch.checkpoint ?? checkpoint;
      }
      signal.throwIfAborted();
      const delay = await this.batches.finishIndexing(sync, signal);
      signal.throwIfAborted();
      const warning = delay ?? (damaged > 0 ? charactersReplaced(damaged) : null);
      isComplete = await this.outcomes.complete(sync, { flaw, warning, isAuthoritative: connector.isAuthoritative });
    }
  }

  private async handleFailure(sync: ClaimedSync, signal: AbortSignal, error: unknown): Promise<void> {
    if (error instanceof SyncLost) return;
    if (signal.aborted) return this.interrupt(sync, signal.reason as SyncInterruption);
    if (error instanceof SourceError) return this.outcomes.fail(sync, { code: error.code, message: error.message });
    if (error instanceof DomainError && error.code === 'not_found') return this.outcomes.cancel(sync);
    if (error instanceof DomainError && error.code === 'unavailable') return this.store.release(sync, RETRY_MILLIS);
    this.logger.error({ err: error, sync: sync.id }, 'knowledge: sync failed unexpectedly');
    const message =
      'The sync failed unexpectedly. Indexed documents are kept. Ask the operator to look for the cause in the log of the worker.';
    await this.outcomes.fail(sync, { code: 'internal_error', message });
  }

  private async interrupt(sync: ClaimedSync, interruption: SyncInterruption): Promise<void> {
    if (interruption === 'cancelled') await this.outcomes.cancel(sync);
    if (interruption === 'released') await this.store.release(sync, 0);
  }
}

function charactersReplaced(documents: number): SyncError {
  const message = `Documents contain bytes that are invalid in the encoding that the source declares. Their number is ${documents}. The documents are indexed, with U+FFFD in these places. Correct the declared encoding, or the documents.`;
  return { code: 'characters_replaced', message };
}
