import mammoth from 'mammoth';
import { DocumentError } from '../connectors/source-error.js';
import type { ExtractedText } from './extracted-text.js';
import { htmlText } from './html-text.js';

/** @throws DocumentError `document_unreadable` for what is no Word document or is broken */
export async function docxText(bytes: Uint8Array): Promise<ExtractedText> {
  try {
    const noImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage: noImages });
    return { ...htmlText(value, null), links: [], canonical: null, robots: [] };
  } catch (cause) {
    throw new DocumentError('document_unreadable', 'The Word document is broken and cannot be read.', { cause });
  }
}
