import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue, MAX_JSON_DEPTH, storableText } from '@app/kernel';
import type { SecretRedaction } from './secret-redaction.js';

const SUMMARY_CHARACTERS = 200;

class NestedTooDeep extends Error {}

/**
 * Converts an external value to the form that is stored in the trace and read by later steps: secrets are redacted,
 * characters that Postgres cannot store are replaced, and the value is truncated if its JSON exceeds `maxBytes`.
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

/** Returns the beginning of a value, in one line of at most 200 characters. */
export function summaryText(value: JsonValue): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .slice(0, SUMMARY_CHARACTERS * 4)
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return text.length > SUMMARY_CHARACTERS
    ? `${text.slice(0, SUMMARY_CHARACTERS).toWellFormed()}…`
    : text.toWellFormed();
}

/**
 * Returns the beginning of a text with its size and SHA-256. Redacts before it truncates, because a truncated secret is
 * not recognised.
 */
export function truncated(body: Buffer, redaction: SecretRedaction, maxBytes: number): JsonObject {
  return {
    truncated: true,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    text: storableText(redaction.text(body.toString('utf8')).slice(0, maxBytes / 2)),
  };
}

/** Returns whether the value is nested at most `MAX_JSON_DEPTH` levels deep. */
export function isStorableDepth(value: JsonValue, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth < MAX_JSON_DEPTH && Object.values(value).every((member) => isStorableDepth(member, depth + 1));
}

/**
 * Replaces what `jsonb` in Postgres cannot store: NUL characters and unpaired surrogates.
 * @throws NestedTooDeep if the value is nested more than `MAX_JSON_DEPTH` levels deep
 */
export function storable(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_JSON_DEPTH) throw new NestedTooDeep();
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  const members = Object.entries(value).map(([key, member]) => [storableText(key), storable(member, depth + 1)]);
  return Object.fromEntries(members) as JsonObject;
}
