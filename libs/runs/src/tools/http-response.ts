import { isJsonObject, type JsonValue } from '@app/kernel';
import { storable, summaryText, truncated } from './recorded-value.js';
import type { SecretRedaction } from './secret-redaction.js';

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** The body went on behind what was read of it. */
  truncated?: boolean;
}

/**
 * What the plan sees of a response: the JSON value where the response says it is JSON, else its text, null when empty.
 * A body beyond `maxBytes` is recorded as its beginning with its size and SHA-256; where not all of it was read, these are of what
 * was, and it says so. Without secrets: they are taken out before
 * anything is cut off, which would leave a half of them.
 */
export function responseOutput(answer: HttpAnswer, redaction: SecretRedaction, maxBytes: number): JsonValue {
  if (answer.body.length > maxBytes)
    return { ...truncated(answer.body, redaction, maxBytes), ...(answer.truncated && { partial: true }) };
  return redaction.value(readBody(answer));
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

function textOf({ body }: HttpAnswer, output: JsonValue, maxBytes: number): string {
  if (body.length === 0) return '';
  if (body.length > maxBytes && isJsonObject(output) && typeof output.text === 'string') return output.text;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function contentType(answer: HttpAnswer): string {
  const value = answer.headers['content-type'];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
