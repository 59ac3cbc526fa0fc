/** A sync lists `code` and `message` and continues with the next document. */
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

export function checkLength(text: string): void {
  if (text.length <= MAX_TEXT) return;
  const message = `The document has more than ${MAX_TEXT / 1_000_000} million characters.`;
  throw new DocumentError('document_too_large', message);
}

export interface ExtractionRequest {
  bytes: Uint8Array;
  /** Media type with its parameters. */
  contentType: string;
  /** If the media type is not specific, the file extension in the URL determines the format. */
  url: string | null;
  /** Reads only these pages of a PDF. Undefined means all. Other formats have no pages. */
  pages?: readonly PageRange[];
  /** Whether a PDF or a Word document without text is read as an empty text. By default, it is rejected. */
  acceptsEmpty?: boolean;
}

/** Pages of a PDF, counted from 1. Both are inclusive. */
export interface PageRange {
  first: number;
  last: number;
}

const PAGES = /^(\d{1,6})(?:-(\d{1,6}))?$/;
const MAX_RANGES = 100;

/** Reads pages such as `1-3,5`. Returns undefined if the text names no pages in this form. */
export function parsePages(text: string): PageRange[] | undefined {
  const parts = text.split(',');
  const ranges = parts.flatMap((part) => {
    const [, first, last = first] = PAGES.exec(part.trim()) ?? [];
    const range = { first: Number(first), last: Number(last) };
    return range.first >= 1 && range.last >= range.first ? [range] : [];
  });
  return ranges.length === parts.length && ranges.length <= MAX_RANGES ? ranges : undefined;
}

export interface ExtractedText {
  title: string | null;
  /** Number of pages of a PDF, also of those that were not read. Undefined for other formats. */
  pages?: number;
  /** Headings are Markdown `#` lines. */
  text: string;
  /** Number of places whose bytes are invalid in the encoding of the document. Undefined if there are none. */
  replaced?: number;
  links: string[];
  canonical: string | null;
  robots: string[];
}

/**
 * Raise it with every change that extracts a different text or title from the same bytes. A sync then reads documents
 * of earlier versions again and replaces those whose text or title has changed.
 */
export const READER_VERSION = 3;
