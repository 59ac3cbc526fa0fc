import mammoth from 'mammoth';
import { DocumentError, type ExtractedText } from './extracted-text.js';
import { htmlDocumentText } from './html-document-text.js';
import { unpacksWithin } from './unpacked-size.js';

/**
 * Maximum number of bytes of all parts of a file after unpacking. A small file can unpack to gigabytes. The heap limit
 * of the process does not count these bytes, because they are outside the heap.
 */
const LARGEST_UNPACKED = 128 * 1024 * 1024;

/**
 * @throws DocumentError `document_too_large`, or `document_unreadable` for a file that is broken or not a Word document
 */
export async function docxText(bytes: Uint8Array): Promise<ExtractedText> {
  const buffer = Buffer.from(bytes);
  try {
    if (!unpacksWithin(buffer, LARGEST_UNPACKED))
      throw new DocumentError('document_too_large', 'The Word document is larger than 128 MiB when it is unpacked.');
    const noImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const { value } = await mammoth.convertToHtml({ buffer }, { convertImage: noImages });
    return { ...htmlDocumentText(value, null), links: [], canonical: null, robots: [] };
  } catch (cause) {
    if (cause instanceof DocumentError && cause.code === 'document_too_large') throw cause;
    throw new DocumentError('document_unreadable', 'The Word document is broken and cannot be read.', { cause });
  }
}
