import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { storable, summaryText, truncated } from '../calls/recorded-value.js';
import type { SecretRedaction } from '../calls/secret-redaction.js';

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** The body went on behind what was read of it. */
  truncated?: boolean;
}

/**
 * What the plan sees of a response: the JSON value where the response says it is JSON, else its text, null when empty. A binary
 * body is `{content_type, bytes, sha256, base64}`, since as text it would be lost.
 * A body beyond `maxBytes` is recorded as its beginning with its size and SHA-256; where not all of it was read, these are of what
 * was, and it says so. Without secrets: they are taken out before
 * anything is cut off, which would leave a half of them.
 */
export function responseOutput(answer: HttpAnswer, redaction: SecretRedaction, maxBytes: number): JsonValue {
  if (isBinary(answer)) return redaction.value(binaryOutput(answer, maxBytes));
  if (answer.body.length > maxBytes)
    return { ...truncated(answer.body, redaction, maxBytes), ...(answer.truncated && { partial: true }) };
  return redaction.value(readBody(answer));
}

/** Types whose bodies are never text. */
const BINARY_TYPE = /^(image|audio|video|font)\/(?!svg\+xml)/i;
/** Types whose bodies are text in whatever encoding. */
const TEXT_TYPE = /^text\/|[/+.-](json|xml|yaml|csv|javascript|x-www-form-urlencoded)\b/i;

/** By its type, and where that does not tell, by whether it is UTF-8. */
function isBinary(answer: HttpAnswer): boolean {
  const type = contentType(answer);
  if (BINARY_TYPE.test(type)) return answer.body.length > 0;
  if (TEXT_TYPE.test(type)) return false;
  if (!answer.truncated) return !isUtf8(answer.body);
  // The last character may have been cut in two with the rest of the body.
  return ![0, 1, 2, 3].some((cut) => isUtf8(answer.body.subarray(0, answer.body.length - cut)));
}

/** Beyond what is recorded (as base64) only size and hash are; where not all of it was read, these are of what was. */
function binaryOutput(answer: HttpAnswer, maxBytes: number): JsonObject {
  const { body } = answer;
  const known = {
    content_type: contentType(answer) || null,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
  };
  const isRecorded = !answer.truncated && Math.ceil(body.length / 3) * 4 <= maxBytes;
  if (isRecorded) return { ...known, base64: body.toString('base64') };
  return { ...known, base64: null, truncated: true, ...(answer.truncated && { partial: true }) };
}

function readBody(answer: HttpAnswer): JsonValue {
  if (answer.body.length === 0) return null;
  // Postgres cannot store NUL characters in JSON.
  const text = answer.body.toString('utf8').replaceAll('\0', '\uFFFD');
  if (!/[/+]json\b/i.test(contentType(answer))) return text;
  try {
    return storable(JSON.parse(text) as JsonValue);
  } catch {
    return text;
  }
}

/** One line of a response and its {@link responseOutput}: `200 application/json, 512 bytes: {"total":40}`. */
export function responseSummary(answer: HttpAnswer, output: JsonValue, maxBytes: number): string {
  const start = summaryText(textOf(answer, output, maxBytes));
  const head = [answer.status, contentType(answer).split(';')[0]].filter(Boolean).join(' ');
  const size = `${answer.truncated ? 'more than ' : ''}${answer.body.length} bytes`;
  return `${head}, ${size}${start ? `: ${start}` : ''}`;
}

function textOf(answer: HttpAnswer, output: JsonValue, maxBytes: number): string {
  const { body } = answer;
  if (body.length === 0 || isBinary(answer)) return '';
  if (body.length > maxBytes && isJsonObject(output) && typeof output.text === 'string') return output.text;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function contentType(answer: HttpAnswer): string {
  const value = answer.headers['content-type'];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
