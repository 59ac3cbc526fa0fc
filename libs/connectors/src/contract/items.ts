/** A reason for people (`message`) with a word for programs (`code`). */
export interface Reason {
  code: string;
  message: string;
}

/** Sent to the source to ask whether a document has changed. */
export interface DocumentValidator {
  etag?: string;
  lastModified?: string;
  cursor?: string;
}

/** A document as its source has it. */
export interface IncomingDocument {
  /** The name of the document at its source; unique within the source. */
  key: string;
  title: string;
  url: string | null;
  contentType: string;
  /** Clean text, headings as Markdown `#` lines. The offsets of passages refer to it. */
  text: string;
  /** SHA-256 of the original bytes, hexadecimal. The same hash again is the same document. */
  hash: string;
  validator: DocumentValidator | null;
}

/** The indexed state of an item. */
export interface KnownDocument {
  hash: string;
  validator: DocumentValidator | null;
}

/**
 * The outcome of reading one item. `unchanged`: what is indexed is what the source has. `absent`: there is no document (any more); with a
 * failure where the source says that there is one.
 */
export type Brought =
  { kind: 'document'; document: IncomingDocument } | { kind: 'unchanged' } | { kind: 'absent'; failure?: Reason };

/** Something that may be a document. */
export interface SourceItem {
  /** Its identity within the source. */
  key: string;
  /** SHA-256 of its bytes, hexadecimal, where the source lists it: an item is brought again if it changes during the sync. */
  hash?: string;
  /** @throws DocumentError: this item fails, the sync continues; SourceError: the whole sync fails */
  bring(known: KnownDocument | undefined): Promise<Brought>;
}

/** Something in a source that is not read. */
export interface SkippedItem extends Reason {
  key: string;
}
