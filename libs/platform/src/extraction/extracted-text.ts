/** Thrown if a document cannot be read. A sync lists `code` and `message` and continues with the next document. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';

  constructor(
    readonly code: string,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

/** Maximum number of characters of the text of one document. */
const MAX_TEXT = 16_000_000;

/** @throws DocumentError `document_too_large` */
export function checkLength(text: string): void {
  if (text.length <= MAX_TEXT) return;
  const message = `The document has more than ${MAX_TEXT / 1_000_000} million characters.`;
  throw new DocumentError('document_too_large', message);
}

export interface ExtractionRequest {
  bytes: Uint8Array;
  /** Media type with its parameters. */
  contentType: string;
  /**
   * URL of the document, against which its relative links are resolved. If the media type is not specific, the file
   * extension in the URL determines the format.
   */
  url: string | null;
}

export interface ExtractedText {
  title: string | null;
  /** Plain text. Headings are Markdown `#` lines. */
  text: string;
  /** Number of places whose bytes are invalid in the encoding of the document. Undefined if there are none. */
  replaced?: number;
  /** Distinct absolute URLs of the links of an HTML page, without fragments; at most `MAX_LINKS`. */
  links: string[];
  /** Canonical URL that the page declares. */
  canonical: string | null;
  /** Robots directives of the page, such as `noindex` and `nofollow`. */
  robots: string[];
}

/**
 * Version of text extraction. Raise it with every change that extracts a different text or title from the same bytes. A
 * sync then reads documents of earlier versions again and replaces those whose text or title has changed.
 */
export const READER_VERSION = 3;
