import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { DomainError, type JsonObject, type JsonValue } from '@app/kernel';
import { decodeBytes, decodeText } from '@app/platform/text';
import { assertJsonObject, assertStorable, parseJsonBody, parseJsonObject } from './json-body.js';
import { type MediaType, parseMediaType, unsupportedCharset, unsupportedType } from './request-body.js';
import { byName } from './sent-form.js';

const FORM = 'application/x-www-form-urlencoded';

/** The media types of a body that starts a run or answers a wait. The other types are listed for the error message. */
const DESCRIBED = `application/json, any +json type, ${FORM}, multipart/form-data and text`;

/** A form is an object of texts and files. A string is a body of a text type that is not JSON. */
export type SentBody = JsonObject | JsonValue[] | string;

/**
 * Reads a body whose media type the sender chose: JSON (RFC 6839 includes every `+json` type), a form, or a text. A
 * text, and a body without a type, is JSON if it is a JSON object or array. {@link SentBodiesService} reads forms with
 * files.
 * @throws DomainError `invalid_request`, `invalid_json`, `unsupported_media_type`
 */
export function parseSentBody({ headers }: Pick<IncomingMessage, 'headers'>, bytes: Buffer): SentBody {
  if (bytes.length === 0) return parseJsonObject('');
  const media = parseMediaType(headers['content-type']) ?? { essence: '' };
  const { essence } = media;
  if (essence === FORM) return assertStorable(urlEncodedForm(bytes, media));
  if (isJsonType(essence)) return parseJsonBody(sentText(bytes, media));
  const isText = isTextType(essence);
  if (!isText && !UNKNOWN_TYPES.includes(essence)) throw unsupportedType(media, DESCRIBED);
  const text = sentText(bytes, media);
  const document = jsonDocument(text);
  if (document !== undefined) return document;
  if (!isText) throw unsupportedType(media, DESCRIBED);
  return assertStorable(text);
}

/**
 * Returns a body that an operation takes only as an object.
 * @throws DomainError `unsupported_media_type`, `invalid_request`
 */
export function objectBody({ headers }: Pick<IncomingMessage, 'headers'>, body: SentBody): JsonObject {
  if (typeof body === 'string') throw unsupportedType(parseMediaType(headers['content-type']), DESCRIBED);
  return assertJsonObject(body);
}

/** Senders that do not set a type, or a type that says nothing. */
const UNKNOWN_TYPES = ['', 'application/octet-stream', 'binary/octet-stream'];

function isJsonType(essence: string): boolean {
  return essence.endsWith('+json') || ['application/json', 'text/json', 'application/x-json'].includes(essence);
}

function isTextType(essence: string): boolean {
  return essence.startsWith('text/') || essence.endsWith('+xml') || essence === 'application/xml';
}

/** Returns the object or array of a text that is JSON; undefined for any other text. */
function jsonDocument(text: string): JsonObject | JsonValue[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJsonBody(text);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_json') return undefined;
    throw error;
  }
}

/** The encoding is detected if the type has no charset, because senders are systems that the caller cannot change. */
function sentText(bytes: Buffer, media: MediaType): string {
  if (media.charset !== undefined) return decodedText(bytes, media);
  return decodeText(bytes, { isMarkup: /\b(html|xml)$/.test(media.essence) }).text;
}

/**
 * Reads a URL-encoded form (WHATWG URL, section 5.1). A name that occurs several times becomes a list. If the media
 * type has no charset, a field `_charset_` (HTML, section 4.10.21.6) or `charset` (PayPal) may name it.
 */
function urlEncodedForm(bytes: Buffer, { charset }: MediaType): JsonObject {
  const pairs = bytes
    .toString('latin1')
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')].map((part) => percentDecoded(part.replaceAll('+', ' ')));
    });
  const named = charset ?? (pairs.flat().every(isUtf8) ? undefined : (charsetIn(pairs) ?? charsetOfAll(pairs)));
  const decode = (part?: Buffer): string =>
    decodedText(part ?? Buffer.alloc(0), named === undefined ? {} : { charset: named });
  return byName(pairs.map(([name, value]) => [decode(name), decode(value)]));
}

function charsetIn(pairs: readonly Buffer[][]): string | undefined {
  const named = pairs.find(([name]) => name && ['_charset_', 'charset'].includes(name.toString('latin1')));
  return named?.[1]?.toString('latin1');
}

function charsetOfAll(pairs: readonly Buffer[][]): string {
  return decodeText(Buffer.concat(pairs.flat())).encoding;
}

function percentDecoded(text: string): Buffer {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1');
}

/**
 * Decodes the text of a body and removes its byte order mark. The default charset is UTF-8.
 * @throws DomainError `unsupported_media_type` for an unknown charset, or `invalid_request` for invalid bytes
 */
function decodedText(bytes: Buffer, { charset = 'utf-8' }: Pick<MediaType, 'charset'> = {}): string {
  const decoded = decodeBytes(bytes, charset);
  if (!decoded) throw unsupportedCharset(charset);
  const { text, encoding, replaced } = decoded;
  // A valid text may contain U+FFFD itself.
  if (replaced === 0 || (encoding === 'utf-8' && isUtf8(bytes))) return text;
  const name = encoding.toUpperCase();
  throw new DomainError('invalid_request', `The body is not valid ${name}. Encode it as ${name}.`);
}
