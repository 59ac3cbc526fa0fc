import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { SecretRedaction } from './secret-redaction.js';

// What a trace keeps of one response (contract, section 12); the summary is for people who skim.
const RECORDED_BYTES = 1024 * 1024;
const SUMMARY_CHARACTERS = 200;
const MAX_DEPTH = 128;

/** Thrown and caught in here. */
class NestedTooDeep extends Error {}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

/**
 * What the plan sees of a response: the JSON value where the response says it is JSON, else its text, null when empty.
 * A body beyond 1 MiB is recorded as its beginning with its size and SHA-256. Without secrets: they are taken out before
 * anything is cut off, which would leave a half of them.
 */
export function responseOutput(answer: HttpAnswer, redaction: SecretRedaction): JsonValue {
  if (answer.body.length > RECORDED_BYTES) return truncated(answer.body, redaction);
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

/** One line of a response and its output: `200 application/json, 512 bytes: {"total":40}`. */
export function responseSummary(answer: HttpAnswer, output: JsonValue): string {
  const text = textOf(answer, output)
    .slice(0, SUMMARY_CHARACTERS * 4)
    .replace(/[\s\0]+/g, ' ')
    .trim();
  const start = text.length > SUMMARY_CHARACTERS ? `${text.slice(0, SUMMARY_CHARACTERS)}…` : text;
  const head = [answer.status, contentType(answer).split(';')[0]].filter(Boolean).join(' ');
  return `${head}, ${answer.body.length} bytes${start ? `: ${start}` : ''}`;
}

function textOf({ body }: HttpAnswer, output: JsonValue): string {
  if (body.length === 0) return '';
  if (body.length > RECORDED_BYTES && isJsonObject(output) && typeof output.text === 'string') return output.text;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function contentType(answer: HttpAnswer): string {
  const value = answer.headers['content-type'];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function truncated(body: Buffer, redaction: SecretRedaction): JsonObject {
  return {
    truncated: true,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    text: redaction
      .text(body.toString('utf8'))
      .slice(0, RECORDED_BYTES / 2)
      .replaceAll('\0', '\uFFFD'),
  };
}

/**
 * The value as Postgres can store it: its JSON takes neither NUL characters nor halves of surrogate pairs, which survive as
 * escapes until JSON.parse, nor nesting without a limit: the response is then taken as text.
 */
function storable(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) throw new NestedTooDeep();
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  const members = Object.entries(value).map(([key, member]) => [storableText(key), storable(member, depth + 1)]);
  return Object.fromEntries(members) as JsonObject;
}

function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
