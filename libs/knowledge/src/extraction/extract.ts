import { DocumentError } from '../connectors/source-error.js';
import { decodedText } from './decoded-text.js';
import { checkLength, type ExtractedText, type ExtractionRequest } from './extracted-text.js';
import { htmlText } from './html-text.js';
import { mediaKind } from './media-kind.js';

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
  const kind = mediaKind(contentType, url);
  switch (kind) {
    case 'html':
      return htmlText(decodedText(bytes, contentType, true), url);
    case 'markdown':
    case 'text':
      return plainText(decodedText(bytes, contentType, false), kind === 'markdown');
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

function plainText(given: string, isMarkdown: boolean): ExtractedText {
  const text = given.replace(/\r\n?/g, '\n').trim();
  const title = isMarkdown ? firstHeading(text) : null;
  return { title, text, links: [], canonical: null, robots: [] };
}

/** The first heading of the first level (CommonMark 4.2), without the marks that may close it. */
function firstHeading(text: string): string | null {
  const line = /^#[ \t]+(.*)$/m.exec(text)?.[1]?.trim() ?? '';
  let end = line.length;
  while (end > 0 && line[end - 1] === '#') end -= 1;
  return line.slice(0, end).trimEnd() || null;
}
