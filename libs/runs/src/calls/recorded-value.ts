import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue, MAX_JSON_DEPTH, storableText } from '@app/kernel';
import type { SecretRedaction } from './secret-redaction.js';

// For people who skim.
const SUMMARY_CHARACTERS = 200;

/** Thrown by {@link storable}. */
class NestedTooDeep extends Error {}

/**
 * A value from outside as it is recorded and as the plan sees it: without secrets, as Postgres can store it, and beyond
 * `maxBytes` of JSON as the beginning of its text with its size and hash.
 */
export function recordable(value: JsonValue, redaction: SecretRedaction, maxBytes: number): JsonValue {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes) return truncated(Buffer.from(text), redaction, maxBytes);
  try {
    return redaction.value(storable(value));
  } catch (error) {
    if (!(error instanceof NestedTooDeep)) throw error;
    return redaction.text(storableText(text));
  }
}

/** The beginning of a value in one line, for people. */
export function summaryText(value: JsonValue): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .slice(0, SUMMARY_CHARACTERS * 4)
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return text.length > SUMMARY_CHARACTERS
    ? `${text.slice(0, SUMMARY_CHARACTERS).toWellFormed()}…`
    : text.toWellFormed();
}

/** The beginning of a text with its size and hash. Secrets are taken out first: cutting would leave a half of one. */
export function truncated(body: Buffer, redaction: SecretRedaction, maxBytes: number): JsonObject {
  return {
    truncated: true,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    text: storableText(redaction.text(body.toString('utf8')).slice(0, maxBytes / 2)),
  };
}

/**
 * The value as Postgres can store it: its JSON takes neither NUL characters nor halves of surrogate pairs, which survive as
 * escapes until JSON.parse, nor nesting without a limit: the response is then taken as text.
 */
export function storable(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_JSON_DEPTH) throw new NestedTooDeep();
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  const members = Object.entries(value).map(([key, member]) => [storableText(key), storable(member, depth + 1)]);
  return Object.fromEntries(members) as JsonObject;
}
