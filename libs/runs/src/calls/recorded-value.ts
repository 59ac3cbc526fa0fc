import { createHash } from 'node:crypto';
import { hasTooManyValues, type JsonObject, type JsonValue, MAX_JSON_DEPTH, storableText } from '@app/kernel';
import type { SecretRedaction } from '@app/platform/observability';

const SUMMARY_CHARACTERS = 200;

class NestedTooDeep extends Error {}

/**
 * Redacts secrets, and replaces characters that Postgres cannot store. Truncates the value if its JSON exceeds
 * `maxBytes`, or if it has more than `MAX_JSON_VALUES` items and members. Converts a value that is nested too deep to
 * its JSON text.
 */
export function recordable(value: JsonValue, redaction: SecretRedaction, maxBytes: number): JsonValue {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes || hasTooManyValues(value))
    return truncated(Buffer.from(text), redaction, maxBytes);
  try {
    return redaction.value(storable(value));
  } catch (error) {
    if (!(error instanceof NestedTooDeep)) throw error;
    return redaction.text(storableText(text));
  }
}

export function summaryText(value: JsonValue): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .slice(0, SUMMARY_CHARACTERS * 4)
    .replace(/[\s\0]+/g, ' ')
    .trim();
  return text.length > SUMMARY_CHARACTERS
    ? `${text.slice(0, SUMMARY_CHARACTERS).toWellFormed()}…`
    : text.toWellFormed();
}

/** Secrets are redacted before the text is truncated, because a truncated secret would not be recognised. */
export function truncated(
  body: Buffer,
  redaction: SecretRedaction,
  maxBytes: number,
  text = body.toString('utf8'),
): JsonObject {
  return {
    truncated: true,
    bytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    text: storableText(redaction.text(text).slice(0, maxBytes / 2)),
  };
}

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
