import { DocumentError } from './document-error.js';

/** Characters of one document's text. */
const LONGEST_TEXT = 16_000_000;

/** @throws DocumentError `document_too_large` */
export function checkLength(text: string): void {
  if (text.length <= LONGEST_TEXT) return;
  const message = `The document has more than ${LONGEST_TEXT / 1_000_000} million characters.`;
  throw new DocumentError('document_too_large', message);
}

/** A document as it came. */
export interface ExtractionRequest {
  bytes: Uint8Array;
  /** Media type, with a charset where one was said. */
  contentType: string;
  /** Where it came from, for relative links and, in need, for its kind. */
  url: string | null;
}

/** What there is to read in a document. */
export interface ExtractedText {
  /** What the document calls itself. */
  title: string | null;
  /** Clean text; headings are Markdown `#` lines. */
  text: string;
  /** Absolute URLs that it refers to, without fragments, each once; no more than `MOST_LINKS`. Of HTML only. */
  links: string[];
  /** The address that the page says is its proper one. */
  canonical: string | null;
  /** `noindex`, `nofollow`: what the page asks of robots. */
  robots: string[];
}
