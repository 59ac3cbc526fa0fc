import { fileTypeFromBuffer } from 'file-type';
import { endingOf } from './file-name.js';

export const HEAD_BYTES = 64 * 1024;

const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';
const SAYS_NOTHING = new Set(['', UNKNOWN, 'application/x-www-form-urlencoded']);
const TEXTUAL = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|x-yaml)|[\w.-]+\/[\w.+-]+\+(?:json|xml))$/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const TYPE_OF_ENDING: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
  html: 'text/html',
  xml: 'application/xml',
  svg: 'image/svg+xml',
};
/** Formats that share one container, which alone does not tell them apart. */
const IN_COMPOUND_FILE = new Set([
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.ms-outlook',
]);

export function isTextual(contentType: string): boolean {
  return TEXTUAL.test(contentType);
}

export function declaredType(header: string | undefined): string | null {
  const essence = (header ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return SAYS_NOTHING.has(essence) || essence.length > 127 || !MEDIA_TYPE.test(essence) ? null : essence;
}

/**
 * What the sender declares and the ending of the name count only for text and for old Office formats, which their bytes
 * do not tell apart.
 */
export async function detectContentType(head: Buffer, declared: string | null, name: string): Promise<string> {
  const found = await typeByBytes(head);
  if (found === 'application/x-cfb') return declared !== null && IN_COMPOUND_FILE.has(declared) ? declared : found;
  if (found !== undefined && found !== 'application/xml') return found;
  if (!isText(head)) return UNKNOWN;
  if (declared !== null && TEXTUAL.test(declared)) return declared;
  return TYPE_OF_ENDING[endingOf(name)] ?? PLAIN;
}

/**
 * Returns undefined also for bytes at which a parser of the library fails, and for text in UTF-16, whose byte order mark
 * the library takes for the beginning of MPEG audio.
 */
async function typeByBytes(head: Buffer): Promise<string | undefined> {
  try {
    const found = (await fileTypeFromBuffer(head))?.mime.split(';', 1)[0];
    return found === 'audio/mpeg' && hasUtf16Mark(head) ? undefined : found;
  } catch {
    return undefined;
  }
}

/** Whether the bytes have a byte order mark of UTF-16, or no byte that texts do not have. */
function isText(head: Buffer): boolean {
  return hasUtf16Mark(head) || !head.some(isForeign);
}

function hasUtf16Mark(head: Buffer): boolean {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  return mark === 0xfeff || mark === 0xfffe;
}

/** Whether texts do not have this byte. 1B begins escape sequences, which texts of terminals contain. */
function isForeign(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1f && byte !== 0x1b);
}
