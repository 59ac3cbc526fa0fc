import type { ItemReading, IncomingDocument, ItemBatch, KnownDocument, SourceItem } from '@app/connectors';
import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '@app/platform/database';
import { DocumentError } from '@app/platform/extraction';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { loadDetector } from '../documents/document-language.js';
import type { KnownSourceDocument } from '../documents/source-document.repository.js';
import type { SourceScope } from '../documents/storable-document.js';
import { IndexWorker } from '../indexing/index.worker.js';
import { type ClaimedSync, type DocumentFailure, NO_PROGRESS, type SyncProgress } from './claimed-sync.js';
import { SyncStore } from './sync.store.js';
import type { SyncError } from '../sources/store/source-status.js';

/**
 * Writing them locks the knowledge base. A million characters take about half a second on a slow machine, and a request
 * that changes the base waits at most two seconds.
 */
const TEXT_AT_ONCE = 1_000_000;
const DOCUMENTS_AT_ONCE = 400;
const FEWEST_AT_ONCE = 50;
const MAX_SKIPPED = 100;

interface BatchResult {
  documents: IncomingDocument[];
  characters: number;
  seen: number;
  unchanged: number;
  failures: DocumentFailure[];
  kept: string[];
}

@Injectable()
export class SyncBatchService {
  constructor(
    private readonly transactions: Transactions,
    private readonly index: DocumentIndexService,
    private readonly store: SyncStore,
    private readonly indexes: IndexWorker,
  ) {}

  /**
   * If a batch is repeated, items that were already processed are skipped.
   * @throws SourceError, SyncLost
   */
  async runBatch(sync: ClaimedSync, batch: ItemBatch, parallelism: number, signal: AbortSignal): Promise<void> {
    const scope = scopeOf(sync);
    const known = await this.index.known(scope, batch.items.map(({ key }) => key)); // prettier-ignore
    const result: BatchResult = { documents: [], characters: 0, seen: 0, unchanged: 0, failures: [], kept: [] };
    const waiting = batch.items.filter((item) => !isMet(item, known.get(item.key))).values();
    // Later attempts use smaller transactions, because an earlier attempt may have failed when large transactions were
    // too slow for a busy database.
    const atOnce = Math.max(FEWEST_AT_ONCE, Math.floor(DOCUMENTS_AT_ONCE / sync.attempt));
    const lane = async (): Promise<void> => {
      for (const item of waiting) {
        if (signal.aborted) return;
        // Below these limits, documents are collected and written later, at the latest at the end of the batch.
        const isMuch = result.characters >= TEXT_AT_ONCE || result.documents.length >= atOnce;
        if (isMuch) await this.write(sync, scope, result);
        await this.processItem(item, known.get(item.key), result);
      }
    };
    await Promise.all(Array.from({ length: parallelism }, lane));
    signal.throwIfAborted();
    await this.finish(sync, batch, scope, result);
  }

  async finishIndexing(sync: ClaimedSync, signal: AbortSignal): Promise<SyncError | null> {
    const failure = await this.indexes.finishBase(scopeOf(sync), signal);
    if (!failure) return null;
    const message = `${failure.message} Keyword search already finds the new documents. Their vectors are added when the provider responds.`;
    return { code: failure.code, message };
  }

  private async processItem(item: SourceItem, known: KnownDocument | undefined, result: BatchResult): Promise<void> {
    try {
      this.take(item, await item.readItem(known), result);
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      fail(item, error, result);
      if (known) result.kept.push(item.key);
    }
  }

  private take(item: SourceItem, brought: ItemReading, result: BatchResult): void {
    if (brought.kind === 'absent') {
      if (brought.failure) fail(item, brought.failure, result);
      return;
    }
    if (brought.kind === 'unchanged') {
      result.seen += 1;
      result.unchanged += 1;
      result.kept.push(item.key);
      return;
    }
    result.documents.push(brought.document);
    result.characters += brought.document.text.length;
  }

  private async write(sync: ClaimedSync, scope: SourceScope, result: BatchResult): Promise<void> {
    const documents = result.documents.splice(0);
    result.characters = 0;
    await loadDetector();
    await this.transactions.run(async (transaction) => {
      await this.store.recordProgress(sync, await this.indexed(scope, documents, transaction), transaction);
    });
  }

  /**
   * Locks the row of the sync before it marks unchanged documents, because the deletion of a source takes these locks
   * in the same order.
   */
  private async finish(
    sync: ClaimedSync,
    { checkpoint, total, visited, skipped }: ItemBatch,
    scope: SourceScope,
    { documents, seen, unchanged, failures, kept }: BatchResult,
  ): Promise<void> {
    if (documents.length > 0) await loadDetector();
    await this.transactions.run(async (transaction) => {
      const indexed = await this.indexed(scope, documents, transaction);
      await this.store.recordProgress(
        sync,
        {
          ...indexed,
          seen: indexed.seen + seen,
          unchanged: indexed.unchanged + unchanged,
          failures,
          ...(checkpoint && { checkpoint }),
          ...(total !== undefined && { total }),
          ...(visited && { visited }),
          ...(skipped && { skipped: { count: skipped.length, items: skipped.slice(0, MAX_SKIPPED) } }),
        },
        transaction,
      );
      if (kept.length > 0) await this.index.markSeen(scope, kept, transaction);
    });
  }

  private async indexed(
    scope: SourceScope,
    documents: readonly IncomingDocument[],
    transaction: Transaction,
  ): Promise<SyncProgress> {
    const { added, updated, unchanged } = await this.index.putMany(scope, documents, transaction);
    return { ...NO_PROGRESS, seen: added + updated + unchanged, added, updated, unchanged };
  }
}

function isMet({ hash }: SourceItem, known: KnownSourceDocument | undefined): boolean {
  return known !== undefined && known.isMet && (hash === undefined || hash === known.hash);
}

function scopeOf(sync: ClaimedSync): SourceScope {
  return { ...sync, syncId: sync.id };
}

function fail({ key }: SourceItem, { code, message }: SyncError, result: BatchResult): void {
  result.seen += 1;
  result.failures.push({ key: key.slice(0, 2_000), code, message });
}
