import { headingsOf } from '@app/platform/markdown';
import { decodeText } from '@app/platform/text';
import { DocumentError, checkLength, type ExtractedText, type ExtractionRequest } from './extracted-text.js';
import { htmlDocumentText } from './html-document-text.js';
import { documentKind } from './media-kind.js';

const LOOKED_AT = 1_024;
/** A text with a larger share is binary data. */
const MAX_CONTROLS = 0.05;

export async function extract(request: ExtractionRequest): Promise<ExtractedText> {
  const text = await read(request);
  checkLength(text.text);
  return text;
}

async function read({ bytes, contentType, url, pages, acceptsEmpty }: ExtractionRequest): Promise<ExtractedText> {
  const kind = documentKind(bytes, contentType, url);
  if (isLfsPointer(bytes)) throw new DocumentError('lfs_pointer', LFS_POINTER);
  switch (kind) {
    case 'html':
    case 'markdown':
    case 'text': {
      const { text, replaced } = decodeText(bytes, { contentType, isMarkup: kind === 'html' });
      const document =
        kind === 'html' ? htmlDocumentText(readable(text), url) : plainText(readable(text), kind === 'markdown');
      return replaced > 0 ? { ...document, replaced } : document;
    }
    // Most installations never read a PDF or Word document, so the libraries are loaded with the first one.
    case 'pdf':
      return withText(await (await import('./pdf-text.js')).pdfText(bytes, pages), acceptsEmpty, EMPTY_PDF);
    case 'docx':
      return withText(await (await import('./docx-text.js')).docxText(bytes), acceptsEmpty, EMPTY_DOCX);
    case undefined:
      throw new DocumentError(
        'unsupported_media_type',
        `Documents of the type ${contentType || 'unknown'} are not supported.`,
      );
  }
}

const EMPTY_PDF =
  'The PDF contains no text. Its pages are probably scanned images. Add their text with a program for text recognition (OCR), and sync again.';
const EMPTY_DOCX = 'The Word document contains no text.';

/** Rejects a document without text unless the reader accepts it. No search could find such a document. */
function withText(document: ExtractedText, acceptsEmpty: boolean | undefined, otherwise: string): ExtractedText {
  if (acceptsEmpty || document.text.trim() !== '') return document;
  throw new DocumentError('document_unreadable', otherwise);
}

const LFS_POINTER =
  'The file is a pointer of Git LFS and does not contain the document. Push the document itself, or add it to a source of the connector upload.';
/** The first line of a pointer (Git LFS specification). A pointer has fewer than 1 024 bytes. */
const LFS_VERSION = Buffer.from('version https://git-lfs.github.com/spec/v1\n');
const MAX_POINTER = 1_024;

function isLfsPointer(bytes: Uint8Array): boolean {
  return bytes.length < MAX_POINTER && LFS_VERSION.equals(bytes.subarray(0, LFS_VERSION.length));
}

/** Without this check, an image or an archive with a text media type would be indexed as text. */
function readable(text: string): string {
  const beginning = text.slice(0, LOOKED_AT);
  // oxlint-disable-next-line no-control-regex -- control characters mark binary data (WHATWG MIME Sniffing, 3)
  const controls = beginning.match(/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  if (controls <= Math.max(beginning.length * MAX_CONTROLS, 1)) return text;
  throw new DocumentError('document_unreadable', 'The media type of the document is text, but its content is binary.');
}

function plainText(given: string, isMarkdown: boolean): ExtractedText {
  const text = given.replace(/\r\n?/g, '\n').trim();
  const title = isMarkdown ? markdownTitle(text) : null;
  return { title, text, links: [], canonical: null, robots: [] };
}

function markdownTitle(text: string): string | null {
  const matter = /^---[ \t]*\n([^]*?)\n---[ \t]*(?=\n|$)/.exec(text);
  if (!matter) return firstHeading(text);
  const written = /^title:[ \t]*(\S.*)$/m.exec(matter[1] ?? '')?.[1]?.trim() ?? '';
  const title = /^(["'])(.*)\1$/.exec(written)?.[2] ?? (/^[>|&*!{["']/.test(written) ? '' : written);
  return title.trim() || firstHeading(text.slice(matter[0].length));
}

function firstHeading(text: string): string | null {
  for (const { level, title } of headingsOf(text)) if (level === 1 && title !== '') return title;
  return null;
}
