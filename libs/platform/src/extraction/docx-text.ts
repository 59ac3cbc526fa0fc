import mammoth from 'mammoth';
import { DocumentError, type ExtractedText } from './extracted-text.js';
import { htmlDocumentText } from './html-document-text.js';
import { inflateRawSync } from 'node:zlib';
import { plainWordXml } from './word-xml.js';

/**
 * A small file can unpack to gigabytes. The heap limit of the process does not count these bytes, because they are
 * outside the heap.
 */
const MAX_UNPACKED = 128 * 1024 * 1024;

export async function docxText(bytes: Uint8Array): Promise<ExtractedText> {
  const buffer = Buffer.from(bytes);
  try {
    if (!unpacksWithin(buffer, MAX_UNPACKED))
      throw new DocumentError('document_too_large', 'The Word document is larger than 128 MiB when it is unpacked.');
    const noImages = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const { value } = await mammoth.convertToHtml(openParts(buffer), { convertImage: noImages });
    return { ...htmlDocumentText(value, null), links: [], canonical: null, robots: [] };
  } catch (cause) {
    if (cause instanceof DocumentError && cause.code === 'document_too_large') throw cause;
    throw new DocumentError('document_unreadable', 'The Word document is broken and cannot be read.', { cause });
  }
}

/** Mammoth reads an open file from the property `file`, which its types do not declare. */
function openParts(zip: Buffer): { buffer: Buffer } {
  const parts = new Map([...entriesOf(zip)].map((entry) => [entry.name, entry]));
  const contentOf = (name: string): Buffer => {
    const part = parts.get(name);
    if (!part) throw broken(`The part ${name} is missing.`);
    return part.method === DEFLATED ? inflateRawSync(part.data) : part.data;
  };
  const file = {
    exists: (name: string) => parts.has(name),
    read: (name: string, encoding?: string) =>
      Promise.resolve(contentOf(name)).then((content) =>
        encoding === undefined
          ? content
          : encoding === 'base64'
            ? content.toString('base64')
            : plainWordXml(content.toString()),
      ),
  };
  const input: object = { file };
  return input as { buffer: Buffer };
}

const END = Buffer.from('PK\x05\x06', 'latin1');
const END_LENGTH = 22;
const ENTRY = 0x02014b50;
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const DEFLATED = 8;
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';

interface Entry {
  name: string;
  method: number;
  data: Buffer;
}

/** Unpacks the file up to that limit, because the sizes that the file declares may be false. */
export function unpacksWithin(zip: Buffer, mostBytes: number): boolean {
  let left = mostBytes;
  for (const { method, data } of entriesOf(zip)) {
    left -= method === DEFLATED ? inflatedLength(data, left) : data.length;
    if (left <= 0) return false;
  }
  return true;
}

function* entriesOf(zip: Buffer): Generator<Entry> {
  const end = zip.lastIndexOf(END);
  if (end < 0 || zip.length < end + END_LENGTH) throw broken('The directory of the archive is missing.');
  let at = zip.readUInt32LE(end + 16);
  if (zip.readUInt32LE(at) !== ENTRY) throw broken('The directory of the archive is not at its recorded position.');
  while (zip.readUInt32LE(at) === ENTRY) {
    const [packed, local] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    const start = local + LOCAL_LENGTH + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    if (start + packed > zip.length) throw broken('An entry extends beyond the end of the file.');
    const name = zip.toString('utf8', at + ENTRY_LENGTH, at + ENTRY_LENGTH + zip.readUInt16LE(at + 28));
    yield { name, method: zip.readUInt16LE(at + 10), data: zip.subarray(start, start + packed) };
    at += ENTRY_LENGTH + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}

function broken(why: string): DocumentError {
  return new DocumentError('document_unreadable', `The file is not a ZIP file. ${why}`);
}

function inflatedLength(data: Buffer, most: number): number {
  try {
    return inflateRawSync(data, { maxOutputLength: most }).length;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === TOO_LARGE) return Infinity;
    throw error;
  }
}
