import { createHash } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/** Programs compare `code`. People read `message`. */
export interface Reason {
  code: string;
  message: string;
}

/** Values that tell the connector or the source whether a document has changed. */
export interface DocumentValidator {
  etag?: string;
  lastModified?: string;
  cursor?: string;
}

export interface IncomingDocument {
  /** Identifies the document within its source. */
  key: string;
  title: string;
  url: string | null;
  contentType: string;
  /** Clean text in which headings are Markdown `#` lines. The offsets of passages refer to this text. */
  text: string;
  /** SHA-256 of the original bytes, in hexadecimal. A document with an unchanged hash is not indexed again. */
  hash: string;
  validator: DocumentValidator | null;
}

export interface KnownDocument {
  hash: string;
  validator: DocumentValidator | null;
}

/**
 * The outcome of reading one item. `unchanged`: the indexed document is up to date. `absent`: the source has no such
 * document. `failure` is set if the source nevertheless lists the document.
 */
export type ItemReading =
  { kind: 'document'; document: IncomingDocument } | { kind: 'unchanged' } | { kind: 'absent'; failure?: Reason };

/** An item of a source that may be a document. */
export interface SourceItem {
  /** Identifies the item within its source. */
  key: string;
  /**
   * SHA-256 of the bytes, in hexadecimal, if it is known before the item is read. An item whose hash changes during the
   * sync is read again.
   */
  hash?: string;
  /** @throws DocumentError if this item fails and the sync continues; SourceError if the whole sync fails */
  readItem(known: KnownDocument | undefined): Promise<ItemReading>;
}

export interface SkippedItem extends Reason {
  key: string;
}

/**
 * The keys that a sync has found, stored as short hashes. If several items have the same key, only the first is read.
 */
export class DuplicateKeys {
  private readonly met = new Set<string>();

  isNew(key: string): boolean {
    const short = createHash('sha256').update(key).digest().subarray(0, 12).toString('base64');
    if (this.met.has(short)) return false;
    this.met.add(short);
    return true;
  }
}

/**
 * Returns a function that computes the cursor of an item from the version that the source reports. The cursor also
 * contains a hash of the settings `how`, which influence the document. If the version or a setting changes, the item is
 * read again. The function returns undefined for an item without a version.
 */
export function cursorReader(how: JsonValue): (version: string | undefined) => string | undefined {
  const reading = sha256(JSON.stringify(how)).toString('base64url').slice(0, 11);
  return (version) => (version === undefined ? undefined : `${reading} ${version}`);
}
