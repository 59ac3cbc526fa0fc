import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

export interface DecodedText {
  text: string;
  encoding: string;
  /** Each is U+FFFD in the text. */
  replaced: number;
}

export interface TextOrigin {
  contentType?: string;
  isMarkup?: boolean;
  /** Whether the bytes are only the beginning of the text, which may end inside a character. */
  isPartial?: boolean;
}

/**
 * Uses the first known encoding of these: the byte order mark, the charset of the media type, the declaration in an
 * HTML or XML text, UTF-8 if the bytes are valid UTF-8, the detected encoding, windows-1252. Ignores unknown names of
 * encodings (WHATWG Encoding, 4.2), and an encoding in which more than one in a hundred characters is invalid.
 */
export function decodeText(bytes: Uint8Array, { contentType = '', isMarkup, isPartial }: TextOrigin = {}): DecodedText {
  const whole = isPartial ? withoutPartialCharacter(bytes) : bytes;
  const named = [byteOrderMark(bytes), charsetOf(contentType), isMarkup ? declaredCharset(bytes) : undefined];
  for (const name of named) {
    const decoded = name === undefined ? undefined : decodeBytes(whole, name);
    if (decoded && !isWrong(decoded)) return decoded;
  }
  return decodeBytes(whole, isUtf8(whole) ? 'utf-8' : detectedEncoding(whole)) ?? windows1252(whole);
}

/** Share of characters that cannot be decoded, above which the declared encoding is not the encoding of the text. */
const MAX_REPLACED = 0.01;

function isWrong({ text, replaced }: DecodedText): boolean {
  return replaced > text.length * MAX_REPLACED;
}

/** It decodes every byte. */
const FALLBACK = 'windows-1252';

export function charsetOf(contentType: string): string | undefined {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(contentType);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** Returns undefined for an unknown name. */
export function decodeBytes(bytes: Uint8Array, name: string): DecodedText | undefined {
  const decoder = decoderOf(name);
  if (decoder?.encoding === FALLBACK) return windows1252(bytes);
  // A text may contain U+FFFD itself.
  if (decoder?.encoding === 'utf-8' && isUtf8(bytes))
    return { text: decoder.decode(bytes), encoding: 'utf-8', replaced: 0 };
  if (decoder) return decoded(decoder.decode(bytes), decoder.encoding);
  const isTextEncoding = iconv.encodingExists(name) && !BINARY_ENCODINGS.test(name);
  return isTextEncoding ? decoded(iconv.decode(Buffer.from(bytes), name), name.toLowerCase()) : undefined;
}

/** Node decodes it as ISO-8859-1 in some releases. */
function windows1252(bytes: Uint8Array): DecodedText {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const text = latin1.replace(/[\x80-\x9f]/g, (control) => {
    const character = iconv.decode(Buffer.from(control, 'latin1'), FALLBACK);
    return character === '\uFFFD' ? control : character;
  });
  return { text, encoding: FALLBACK, replaced: 0 };
}

const BINARY_ENCODINGS = /^(base64|hex|binary)/i;

function decoded(text: string, encoding: string): DecodedText {
  return { text, encoding, replaced: text.split('\uFFFD').length - 1 };
}

function decoderOf(name: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(name);
  } catch {
    return undefined;
  }
}

function byteOrderMark([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le';
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'utf-32be';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Number of bytes at the beginning of a text that are searched for a declaration (WHATWG HTML, 13.2.3.2). */
const SNIFFED_BYTES = 1_024;

/** UTF-16 is ignored: a text whose declaration can be read as ASCII is not UTF-16. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString('latin1');
  const match =
    /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']+)["']/i.exec(head) ??
    /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head);
  return match?.[1] !== undefined && /^utf-?(16|32)/i.test(match[1]) ? undefined : match?.[1];
}

/** A character has at most four bytes. */
function withoutPartialCharacter(bytes: Uint8Array): Uint8Array {
  const ends = [0, 1, 2, 3].map((cut) => bytes.subarray(0, Math.max(0, bytes.length - cut)));
  return ends.find(isUtf8) ?? bytes;
}

const EXAMINED_BYTES = 64 * 1024;
/** Confidence of the detection, 0 to 100, below which it is a guess. */
const LEAST_CONFIDENCE = 40;
const WESTERN = ['ISO-8859-1', 'windows-1252'];

function detectedEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, EXAMINED_BYTES);
  const utf16 = utf16WithoutMark(sample);
  if (utf16 !== undefined) return utf16;
  const found = analyse(Buffer.from(sample)).filter(({ name }) => !name.startsWith('UTF') && isValidIn(name, sample));
  const best = found[0]?.confidence ?? 0;
  if (best >= LEAST_CONFIDENCE) {
    const isWestern = found.some(({ name, confidence }) => confidence === best && WESTERN.includes(name));
    return isWestern ? FALLBACK : (found[0]?.name ?? FALLBACK);
  }
  return looksChinese(sample) ? 'gb18030' : FALLBACK;
}

/** Returns UTF-16 if every second byte of most characters is 0, as in text of the Latin alphabet. */
function utf16WithoutMark(bytes: Uint8Array): string | undefined {
  const zeros = [0, 0];
  bytes.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1;
  });
  const [even = 0, odd = 0] = zeros;
  const least = bytes.length * 0.3;
  if (odd >= least && even === 0) return 'utf-16le';
  return even >= least && odd === 0 ? 'utf-16be' : undefined;
}

/**
 * Whether the text is probably Chinese and too short for a detection: bytes above 0xA0 occur only in pairs, and there
 * are at least two pairs.
 */
function looksChinese(bytes: Uint8Array): boolean {
  const runs =
    Buffer.from(bytes)
      .toString('latin1')
      .match(/[\x80-\xff]+/g) ?? [];
  const isPairs = runs.every((run) => run.length % 2 === 0 && /^[\xa1-\xfe]+$/.test(run));
  return isPairs && runs.join('').length >= 4 && isValidIn('gb18030', bytes);
}

function isValidIn(name: string, bytes: Uint8Array): boolean {
  try {
    // A sample may end inside a character, so the decoder does not check its end.
    new TextDecoder(name, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
