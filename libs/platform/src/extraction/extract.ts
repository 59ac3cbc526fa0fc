import { headingsOf } from '@app/platform/markdown';
import { DocumentError } from './document-error.js';
import { decodedText } from './decoded-text.js';
import { checkLength, type ExtractedText, type ExtractionRequest } from './extracted-text.js';
import { htmlDocumentText } from './html-document-text.js';
import { documentKind } from './media-kind.js';

/** Characters of a text by which it is told from what is none, and the share of control characters in it that one may have. */
const LOOKED_AT = 1_024;
const MOST_CONTROLS = 0.05;

/**
 * What there is to read in a document.
 * @throws DocumentError `unsupported_media_type`, `document_unreadable`, `document_too_large`
 */
export async function extract({ bytes, contentType, url }: ExtractionRequest): Promise<ExtractedText> {
  const text = await read({ bytes, contentType, url });
  checkLength(text.text);
  return text;
}

async function read({ bytes, contentType, url }: ExtractionRequest): Promise<ExtractedText> {
  const kind = documentKind(bytes, contentType, url);
  switch (kind) {
    case 'html':
      return htmlDocumentText(readable(decodedText(bytes, contentType, true)), url);
    case 'markdown':
    case 'text':
      return plainText(readable(decodedText(bytes, contentType, false)), kind === 'markdown');
    // Loaded when the first such document comes: most installations never see one.
    case 'pdf':
      return (await import('./pdf-text.js')).pdfText(bytes);
    case 'docx':
      return (await import('./docx-text.js')).docxText(bytes);
    case undefined:
      throw new DocumentError(
        'unsupported_media_type',
        `Documents of the type ${contentType || 'unknown'} are not read.`,
      );
  }
}

/** What is called text but is a picture or an archive would be found by nobody, and shown as gibberish. */
function readable(text: string): string {
  const beginning = text.slice(0, LOOKED_AT);
  // eslint-disable-next-line no-control-regex -- these are what tells them apart (WHATWG MIME Sniffing, 3)
  const controls = beginning.match(/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  if (controls <= Math.max(beginning.length * MOST_CONTROLS, 1)) return text;
  throw new DocumentError('document_unreadable', 'The document is called text, but it is none.');
}

function plainText(given: string, isMarkdown: boolean): ExtractedText {
  const text = given.replace(/\r\n?/g, '\n').trim();
  const title = isMarkdown ? markdownTitle(text) : null;
  return { title, text, links: [], canonical: null, robots: [] };
}

/** What stands before the text between two lines of `---`, as site generators read it, is not searched for headings. */
function markdownTitle(text: string): string | null {
  const matter = /^---[ \t]*\n([^]*?)\n---[ \t]*(?=\n|$)/.exec(text);
  if (!matter) return firstHeading(text);
  const written = /^title:[ \t]*(\S.*)$/m.exec(matter[1] ?? '')?.[1]?.trim() ?? '';
  const title = /^(["'])(.*)\1$/.exec(written)?.[2] ?? (/^[>|&*!{["']/.test(written) ? '' : written);
  return title.trim() || firstHeading(text.slice(matter[0].length));
}

/** The first heading of the first level. */
function firstHeading(text: string): string | null {
  for (const { level, title } of headingsOf(text)) if (level === 1 && title !== '') return title;
  return null;
}
