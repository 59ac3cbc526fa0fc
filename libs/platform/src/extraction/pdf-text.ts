import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { escapedParagraph } from '@app/platform/markdown';
import { DocumentError, type ExtractedText, type PageRange } from './extracted-text.js';

export async function pdfText(bytes: Uint8Array, pages?: readonly PageRange[]): Promise<ExtractedText> {
  try {
    // pdf.js detaches the buffer that it receives, so it receives a copy.
    const document = await getDocumentProxy(new Uint8Array(bytes));
    const { text } = await extractText(document, { mergePages: false });
    const { info } = await getMeta(document);
    const title: unknown = info.Title;
    return {
      title: typeof title === 'string' && title.trim() !== '' ? title.trim() : null,
      pages: text.length,
      text: text
        .filter((_, index) => isWanted(index + 1, pages))
        .map(tidy)
        .filter(Boolean)
        .map(escapedParagraph)
        .join('\n\n'),
      links: [],
      canonical: null,
      robots: [],
    };
  } catch (cause) {
    const why = cause instanceof Error && /password/i.test(cause.message) ? 'is protected by a password' : 'is broken';
    throw new DocumentError('document_unreadable', `The PDF ${why} and cannot be read.`, { cause });
  }
}

function isWanted(page: number, pages: readonly PageRange[] | undefined): boolean {
  return pages === undefined || pages.some(({ first, last }) => first <= page && page <= last);
}

function tidy(page: string): string {
  return page.replace(/[^\S\n]+/g, ' ').replace(/ ?\n ?/g, '\n').trim(); // prettier-ignore
}
