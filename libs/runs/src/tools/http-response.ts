import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileMembers, ResponseKind } from '@app/definition';
import type { ResponseHead } from '@app/platform/egress';
import { charsetOf, decodeText } from '@app/platform/text';
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson, storableText } from '@app/kernel';
import { storable, summaryText, truncated } from '../calls/recorded-value.js';
import type { SecretRedaction } from '@app/platform/observability';

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  truncated?: boolean;
  /** Id of the file that has the bytes of a binary body. */
  file?: string;
  /** Size and SHA-256 of this file, if `body` is only its beginning. */
  whole?: { bytes: number; sha256: string };
}

/**
 * If only a part of the body was read, the size and the SHA-256 describe this part, and `partial` is true. Secrets are
 * redacted before the text is truncated, because a truncated secret would not be recognised.
 */
export function responseOutput(
  answer: HttpAnswer,
  redaction: SecretRedaction,
  maxBytes: number,
  files: FileMembers = 'inline',
): JsonValue {
  if (isBinary(answer)) return redaction.value(binaryOutput(answer, maxBytes, files));
  if (answer.body.length > maxBytes) return longOutput(answer, redaction, maxBytes);
  return redaction.value(readBody(answer));
}

/**
 * If the definition requires `json` and the body is not JSON, returns {@link NOT_JSON}. Truncates a body longer than
 * `maxBytes` in the same way.
 */
export function responseAs(
  kind: Exclude<ResponseKind, 'file'>,
  answer: HttpAnswer,
  redaction: SecretRedaction,
  maxBytes: number,
  files: FileMembers = 'inline',
): JsonValue | typeof NOT_JSON {
  if (kind === 'binary') return redaction.value(binaryOutput(answer, maxBytes, files));
  if (answer.body.length > maxBytes) return longOutput(answer, redaction, maxBytes);
  const value = readAs(kind, answer);
  return value === NOT_JSON ? NOT_JSON : redaction.value(value);
}

export const NOT_JSON = Symbol('not JSON');

/** HTTP statuses of responses without a body (RFC 9110). */
const WITHOUT_BODY = [204, 205];

function readAs(kind: 'json' | 'text', answer: HttpAnswer): JsonValue | typeof NOT_JSON {
  const text = decodedText(answer);
  if (kind === 'text') return storableText(text);
  if (text === '' && WITHOUT_BODY.includes(answer.status)) return null;
  try {
    return storable(parseExactJson(text));
  } catch {
    return NOT_JSON;
  }
}

function longOutput(answer: HttpAnswer, redaction: SecretRedaction, maxBytes: number): JsonObject {
  return {
    ...truncated(answer.body, redaction, maxBytes, decodedText(answer)),
    ...(answer.truncated && { partial: true }),
  };
}

function decodedText(answer: HttpAnswer): string {
  const type = contentType(answer);
  const isMarkup = MARKUP_TYPE.test(type);
  return decodeText(answer.body, { contentType: type, isMarkup, isPartial: answer.truncated === true }).text;
}

const BINARY_TYPE = /^(image|audio|video|font)\/(?!svg\+xml)/i;
const TEXT_TYPE = /^text\/|[/+.-](json|xml|yaml|csv|javascript|x-www-form-urlencoded)\b/i;
const MARKUP_TYPE = /[/+](html|xml)\b/i;

export function isBinary(answer: HttpAnswer): boolean {
  const type = contentType(answer);
  if (BINARY_TYPE.test(type)) return answer.body.length > 0;
  if (TEXT_TYPE.test(type) || charsetOf(type) !== undefined) return false;
  if (!answer.truncated) return !isUtf8(answer.body);
  // A character has at most four bytes, so up to three bytes at the end are ignored.
  return ![0, 1, 2, 3].some((cut) => isUtf8(answer.body.subarray(0, answer.body.length - cut)));
}

/** `base64` is null if it would be longer than `maxBytes`, or if only a part of the body was read. */
function binaryOutput(answer: HttpAnswer, maxBytes: number, files: FileMembers): JsonObject {
  const { body, whole } = answer;
  const known = {
    content_type: contentType(answer) || null,
    ...(whole ?? { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }),
    ...(answer.file !== undefined && { file: answer.file }),
  };
  const partial = answer.truncated && !whole && { partial: true };
  if (files === 'reference') return { ...known, base64: null, ...partial };
  const isRecorded = !answer.truncated && Math.ceil(body.length / 3) * 4 <= maxBytes;
  if (isRecorded) return { ...known, base64: body.toString('base64') };
  return { ...known, base64: null, truncated: true, ...partial };
}

function readBody(answer: HttpAnswer): JsonValue {
  if (answer.body.length === 0) return null;
  const text = decodedText(answer);
  if (!/[/+]json\b/i.test(contentType(answer))) return storableText(text);
  try {
    return storable(parseExactJson(text));
  } catch {
    return storableText(text);
  }
}

/** `set-cookie` is a list if the server sent it several times. */
export function responseHeaders({ headers, cookies }: ResponseHead): JsonObject {
  return { ...headers, ...(cookies && { 'set-cookie': [...cookies] }) };
}

/** Returns a summary of the response in one line, for example `200 application/json, 512 bytes: {"total":40}`. */
export function responseSummary(answer: HttpAnswer, output: JsonValue, maxBytes: number, damage?: string): string {
  const head = [answer.status, contentType(answer).split(';')[0]].filter(Boolean).join(' ');
  if (damage !== undefined) return `${head}, but the response could not be read: ${damage}`;
  const text = textOf(answer, output, maxBytes);
  const start = summaryText(text);
  const { whole, truncated: isCut } = answer;
  const size = `${isCut && !whole ? 'more than ' : ''}${whole?.bytes ?? answer.body.length} bytes`;
  const replaced = text.split('\uFFFD').length - 1;
  const note =
    replaced === 0 ? '' : `, ${replaced} ${replaced === 1 ? 'character' : 'characters'} could not be decoded`;
  return `${head}, ${size}${note}${start ? `: ${start}` : ''}`;
}

function textOf(answer: HttpAnswer, output: JsonValue, maxBytes: number): string {
  const { body } = answer;
  if (body.length === 0 || isBinary(answer) || (isJsonObject(output) && 'base64' in output)) return '';
  if (body.length > maxBytes && isJsonObject(output) && typeof output.text === 'string') return output.text;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

export function contentType(answer: HttpAnswer): string {
  const value = answer.headers['content-type'];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
