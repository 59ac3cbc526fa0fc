import { Injectable } from '@nestjs/common';
import type { Brought, ItemBatch, SourceItem, SourceVisit } from '../connectors/connector.js';
import { DocumentError } from '../connectors/source-error.js';
import { DocumentIndex } from '../documents/document-index.service.js';
import type { KnownDocument } from '../documents/document-marks.repository.js';
import type { IncomingDocument } from '../documents/incoming-document.js';
import { IndexWorker } from '../indexing/index-worker.service.js';
import { type ClaimedSync, NO_ADVANCE } from './claimed-sync.js';
import { SyncJournal } from './sync-journal.repository.js';
import type { DocumentFailure, SyncError } from './sync-status.js';

/** Characters of text that are held before they are written, whatever a batch has. */
const TEXT_AT_ONCE = 4_000_000;
/** Documents of one transaction: while they are written, the next are brought. */
const DOCUMENTS_AT_ONCE = 100;

/** What a batch has come to so far. */
interface Harvest {
  documents: IncomingDocument[];
  characters: number;
  added: number;
  updated: number;
  unchanged: number;
  seen: number;
  failures: DocumentFailure[];
  /** Keys of documents that stay as they are: unchanged, or failed this time. */
  kept: string[];
}

/** Brings the items of a batch and puts them into the index. */
@Injectable()
export class BatchRunner {
  constructor(
    private readonly index: DocumentIndex,
    private readonly journal: SyncJournal,
    private readonly indexes: IndexWorker,
  ) {}

  /**
   * Carries out a batch and records it. A batch that is carried out twice leaves what it left the first time.
   * @throws SourceError, SyncLost
   */
  async run(sync: ClaimedSync, batch: ItemBatch, parallelism: number, { scope, signal }: SourceVisit): Promise<void> {
    const known = await this.index.known(scope, batch.items.map(({ key }) => key)); // prettier-ignore
    const harvest: Harvest = {
      documents: [], characters: 0, added: 0, updated: 0, unchanged: 0, seen: 0, failures: [], kept: [],
    }; // prettier-ignore
    const waiting = batch.items.values();
    const lane = async (): Promise<void> => {
      for (const item of waiting) {
        if (signal.aborted) return;
        await this.bring(item, known.get(item.key), harvest);
        const isMuch = harvest.characters >= TEXT_AT_ONCE || harvest.documents.length >= DOCUMENTS_AT_ONCE;
        if (isMuch) await this.write(scope, harvest);
      }
    };
    await Promise.all(Array.from({ length: parallelism }, lane));
    signal.throwIfAborted();
    await this.write(scope, harvest);
    if (harvest.kept.length > 0) await this.index.markSeen(scope, harvest.kept);
    const { seen, added, updated, unchanged, failures } = harvest;
    const { checkpoint, total, visited } = batch;
    await this.journal.advance(sync, {
      ...NO_ADVANCE, seen, added, updated, unchanged, failures,
      ...(checkpoint && { checkpoint }),
      ...(total !== undefined && { total }),
      ...(visited && { visited }),
    }); // prettier-ignore
  }

  /** What was brought is found by its meaning too from here on, where the base is searched so; else why that comes later. */
  async settle({ scope, signal }: Pick<SourceVisit, 'scope' | 'signal'>): Promise<SyncError | null> {
    const failure = await this.indexes.settle(scope, signal);
    if (!failure) return null;
    const message = `${failure.message} What was brought is found by its words; vectors follow when the provider answers.`;
    return { code: failure.code, message };
  }

  private async bring(item: SourceItem, known: KnownDocument | undefined, harvest: Harvest): Promise<void> {
    try {
      this.take(item, await item.bring(known), harvest);
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      harvest.seen += 1;
      harvest.failures.push({ key: item.key.slice(0, 2_000), code: error.code, message: error.message });
      if (known) harvest.kept.push(item.key);
    }
  }

  private take(item: SourceItem, brought: Brought, harvest: Harvest): void {
    if (brought.kind === 'absent') return;
    harvest.seen += 1;
    if (brought.kind === 'unchanged') {
      harvest.unchanged += 1;
      harvest.kept.push(item.key);
      return;
    }
    harvest.documents.push(brought.document);
    harvest.characters += brought.document.text.length;
  }

  private async write(scope: SourceVisit['scope'], harvest: Harvest): Promise<void> {
    const documents = harvest.documents.splice(0);
    harvest.characters = 0;
    if (documents.length === 0) return;
    const { added, updated, unchanged } = await this.index.putMany(scope, documents);
    harvest.added += added;
    harvest.updated += updated;
    harvest.unchanged += unchanged;
  }
}
