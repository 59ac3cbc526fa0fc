import { createHash } from 'node:crypto';
import type { JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/** Programs compare `code`. People read `message`. */
export interface Reason {
  code: string;
  message: string;
}

export interface DocumentValidator {
  etag?: string;
  lastModified?: string;
  cursor?: string;
}

export interface IncomingDocument {
  key: string;
  title: string;
  url: string | null;
  contentType: string;
  /** The offsets of passages refer to this text. */
  text: string;
  /** A document with an unchanged hash is not indexed again. */
  hash: string;
  validator: DocumentValidator | null;
}

export interface KnownDocument {
  hash: string;
  validator: DocumentValidator | null;
}

/** `unchanged`: the indexed document is up to date. `failure` is set if the source nevertheless lists the document. */
export type ItemReading =
  { kind: 'document'; document: IncomingDocument } | { kind: 'unchanged' } | { kind: 'absent'; failure?: Reason };

export interface SourceItem {
  key: string;
  /** An item whose hash changes during the sync is read again. */
  hash?: string;
  /** @throws DocumentError if this item fails and the sync continues; SourceError if the whole sync fails */
  readItem(known: KnownDocument | undefined): Promise<ItemReading>;
}

export interface SkippedItem extends Reason {
  key: string;
}

/** If several items have the same key, only the first is read. */
export class DuplicateKeys {
  private readonly met = new Set<string>();

  isNew(key: string): boolean {
    const short = createHash('sha256').update(key).digest().subarray(0, 12).toString('base64');
    if (this.met.has(short)) return false;
    this.met.add(short);
    return true;
  }
}

/** The cursor also contains a hash of the settings `how`, which influence the document. */
export function cursorReader(how: JsonValue): (version: string | undefined) => string | undefined {
  const reading = sha256(JSON.stringify(how)).toString('base64url').slice(0, 11);
  return (version) => (version === undefined ? undefined : `${reading} ${version}`);
}
