import type { JsonObject } from '@app/kernel';
import type { ExtractedText, ExtractionRequest } from '@app/platform/extraction';
import type { KnownDocument } from '../documents/document-marks.repository.js';
import type { IncomingDocument, SourceScope } from '../documents/incoming-document.js';

/** One visit of a source. */
export interface SourceVisit {
  scope: SourceScope;
  /** Completed, with the values of its secrets. Never logged. */
  config: JsonObject;
  /** Of the batch that was last carried out, where a visit goes on after a kill. */
  checkpoint: JsonObject | null;
  /** Aborts when the sync is cancelled, lost or given back. */
  signal: AbortSignal;
  /** In a process of its own. @throws DocumentError */
  extract(request: ExtractionRequest): Promise<ExtractedText>;
  /** Not everything can be gone through: the sync goes on, but nothing is deleted at its end. */
  isIncomplete(error: { code: string; message: string }): void;
}

/**
 * What became of one item. `unchanged`: what is indexed is what the source has. `absent`: there is no document (any more); with a
 * failure where the source says that there is one.
 */
export type Brought =
  | { kind: 'document'; document: IncomingDocument }
  | { kind: 'unchanged' }
  | { kind: 'absent'; failure?: { code: string; message: string } };

/** Something that may be a document. */
export interface SourceItem {
  /** Its identity within the source. */
  key: string;
  /** SHA-256 of its bytes, hexadecimal, where the source lists it: an item is brought again if it changes during the sync. */
  hash?: string;
  /** @throws DocumentError: this one fails, the sync goes on; SourceError: the whole sync fails */
  bring(known: KnownDocument | undefined): Promise<Brought>;
}

/** Items that are carried out together, before the next batch is asked for. */
export interface ItemBatch {
  items: readonly SourceItem[];
  /**
   * Where a visit goes on once these have been carried out: what the items add to it is recorded with them. Without one it begins anew;
   * what the sync has met is passed over.
   */
  checkpoint?: JsonObject;
  /** Pages of a crawl that are over once these items have been carried out. */
  visited?: readonly string[];
  /** Of all items, where it is known. */
  total?: number;
  /** All that the source has and that is no document for this service, and why. It replaces what an earlier batch named. */
  skipped?: readonly SkippedItem[];
}

/** Something in a source that is not read. */
export interface SkippedItem {
  key: string;
  code: string;
  message: string;
}

/** One kind of source. */
export interface Connector {
  /** Items that are brought at the same time. */
  readonly parallelism: number;
  /** What it gives is all there is, beyond doubt: nothing holds its deletions. */
  readonly isAuthoritative: boolean;
  /** @throws SourceError where the source cannot be gone through */
  enumerate(visit: SourceVisit): AsyncIterable<ItemBatch>;
}
