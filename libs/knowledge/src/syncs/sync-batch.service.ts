import type { Brought, IncomingDocument, ItemBatch, KnownDocument, SourceItem } from '@app/connectors';
import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '@app/platform/database';
import { DocumentError } from '@app/platform/extraction';
import { DocumentIndexService } from '../documents/document-index.service.js';
import type { KnownSourceDocument } from '../documents/source-document.repository.js';
import type { SourceScope } from '../documents/storable-document.js';
import { IndexWorker } from '../indexing/index.worker.js';
import { type ClaimedSync, NO_PROGRESS, type SyncProgress } from './claimed-sync.js';
import { SyncStore } from './sync.store.js';
import type { SyncError } from '../sources/store/source-status.js';
import type { DocumentFailure } from './sync-status.js';

/** Characters of text that are held before they are written, whatever a batch has. */
const TEXT_AT_ONCE = 4_000_000;
/** Documents of one transaction, which are counted word by word together: while they are written, the next are brought. */
const DOCUMENTS_AT_ONCE = 400;
const FEWEST_AT_ONCE = 50;
/** Skipped items that a sync lists; further ones are only counted. */
const MOST_SKIPPED = 100;

/** What a batch has come to, as far as it is not recorded. */
interface Harvest {
  documents: IncomingDocument[];
  characters: number;
  seen: number;
  unchanged: number;
  failures: DocumentFailure[];
  /** Keys of documents that stay as they are: unchanged, or failed this time. */
  kept: string[];
}

/** Brings the items of a batch and puts them into the index. */
@Injectable()
export class SyncBatchService {
  constructor(
    private readonly transactions: Transactions,
    private readonly index: DocumentIndexService,
    private readonly journal: SyncStore,
    private readonly indexes: IndexWorker,
  ) {}

  /**
   * Carries out a batch and records it: what is indexed and how it is counted are one commit. A batch that is carried out again does what
   * the first time has left to do.
   * @throws SourceError, SyncLost
   */
  async runBatch(sync: ClaimedSync, batch: ItemBatch, parallelism: number, signal: AbortSignal): Promise<void> {
    const scope = scopeOf(sync);
    const known = await this.index.known(scope, batch.items.map(({ key }) => key)); // prettier-ignore
    const harvest: Harvest = { documents: [], characters: 0, seen: 0, unchanged: 0, failures: [], kept: [] };
    const waiting = batch.items.filter((item) => !isMet(item, known.get(item.key))).values();
    // Whoever had it before may have given it up because so many were too much for a busy database.
    const atOnce = Math.max(FEWEST_AT_ONCE, Math.floor(DOCUMENTS_AT_ONCE / sync.attempt));
    const lane = async (): Promise<void> => {
      for (const item of waiting) {
        if (signal.aborted) return;
        // What the last item fills up is written with the end of the batch.
        const isMuch = harvest.characters >= TEXT_AT_ONCE || harvest.documents.length >= atOnce;
        if (isMuch) await this.write(sync, scope, harvest);
        await this.bring(item, known.get(item.key), harvest);
      }
    };
    await Promise.all(Array.from({ length: parallelism }, lane));
    signal.throwIfAborted();
    await this.finish(sync, batch, scope, harvest);
  }

  /** What was brought is found by its meaning too from here on, where the base is searched so; else why that comes later. */
  async finishIndexing(sync: ClaimedSync, signal: AbortSignal): Promise<SyncError | null> {
    const failure = await this.indexes.finishBase(scopeOf(sync), signal);
    if (!failure) return null;
    const message = `${failure.message} What was brought is found by its words; vectors follow when the provider answers.`;
    return { code: failure.code, message };
  }

  private async bring(item: SourceItem, known: KnownDocument | undefined, harvest: Harvest): Promise<void> {
    try {
      this.take(item, await item.bring(known), harvest);
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      fail(item, error, harvest);
      if (known) harvest.kept.push(item.key);
    }
  }

  private take(item: SourceItem, brought: Brought, harvest: Harvest): void {
    if (brought.kind === 'absent') {
      if (brought.failure) fail(item, brought.failure, harvest);
      return;
    }
    if (brought.kind === 'unchanged') {
      harvest.seen += 1;
      harvest.unchanged += 1;
      harvest.kept.push(item.key);
      return;
    }
    harvest.documents.push(brought.document);
    harvest.characters += brought.document.text.length;
  }

  /** Indexes what has been brought so far, and counts it. */
  private async write(sync: ClaimedSync, scope: SourceScope, harvest: Harvest): Promise<void> {
    const documents = harvest.documents.splice(0);
    harvest.characters = 0;
    await this.transactions.run(async (transaction) => {
      await this.journal.recordProgress(sync, await this.indexed(scope, documents, transaction), transaction);
    });
  }

  /**
   * Indexes the rest, and records that the batch is over. Documents that stay as they are are marked after the sync's row is locked: whoever
   * deletes a source takes the locks in the same order.
   */
  private async finish(
    sync: ClaimedSync,
    { checkpoint, total, visited, skipped }: ItemBatch,
    scope: SourceScope,
    { documents, seen, unchanged, failures, kept }: Harvest,
  ): Promise<void> {
    await this.transactions.run(async (transaction) => {
      const indexed = await this.indexed(scope, documents, transaction);
      await this.journal.recordProgress(
        sync,
        {
          ...indexed,
          seen: indexed.seen + seen,
          unchanged: indexed.unchanged + unchanged,
          failures,
          ...(checkpoint && { checkpoint }),
          ...(total !== undefined && { total }),
          ...(visited && { visited }),
          ...(skipped && { skipped: { count: skipped.length, items: skipped.slice(0, MOST_SKIPPED) } }),
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

/** Whether the sync has been through with the item as it is now. */
function isMet({ hash }: SourceItem, known: KnownSourceDocument | undefined): boolean {
  return known !== undefined && known.isMet && (hash === undefined || hash === known.hash);
}

function scopeOf(sync: ClaimedSync): SourceScope {
  return { ...sync, syncId: sync.id };
}

function fail({ key }: SourceItem, { code, message }: SyncError, harvest: Harvest): void {
  harvest.seen += 1;
  harvest.failures.push({ key: key.slice(0, 2_000), code, message });
}
