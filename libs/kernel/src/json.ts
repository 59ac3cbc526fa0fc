export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON text with the members of every object in code-unit order and no white space (the ordering of RFC 8785),
 * so that equal values have equal text, hash and signature.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`);
  return `{${members.join(',')}}`;
}

/** JSON Pointer (RFC 6901) for a path of member names and array indexes. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export interface JsonLimits {
  maxDepth: number;
  maxKeys: number;
}

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
// Postgres stores neither in jsonb.
const UNSTORABLE = /\0|\p{Surrogate}/u;
// How JSON.stringify writes them; a text that tells of such an escape matches as well.
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/;

/**
 * The first thing in parsed JSON that the service refuses to carry: nesting or size beyond the limits, a key that
 * reaches for a prototype, a number beyond the range of doubles, or text with a NUL character or half a surrogate pair, which Postgres
 * cannot store. Undefined when there is none.
 * Iterative, because the value comes from outside and may be nested deeper than the stack.
 */
export function findUnsafeJson(root: unknown, limits: JsonLimits): { pointer: string; detail: string } | undefined {
  const pending: { value: unknown; path: readonly (string | number)[] }[] = [{ value: root, path: [] }];
  let keys = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    const problem = (detail: string) => ({ pointer: jsonPointer(path), detail });
    if (typeof value === 'string' && UNSTORABLE.test(value))
      return problem('Text must not contain NUL characters or half a surrogate pair.');
    // `1e400` is read as one that JSON has no notation for, and would be written down as null.
    if (typeof value === 'number' && !Number.isFinite(value)) return problem('The number is too large.');
    if (typeof value !== 'object' || value === null) continue;
    if (path.length >= limits.maxDepth) return problem(`Nested deeper than ${limits.maxDepth} levels.`);
    for (const [key, member] of Object.entries(value)) {
      if (++keys > limits.maxKeys) return problem(`More than ${limits.maxKeys} values.`);
      if (FORBIDDEN_KEYS.has(key) || UNSTORABLE.test(key))
        return problem(`The key ${JSON.stringify(key)} is not allowed.`);
      pending.push({ value: member, path: [...path, Array.isArray(value) ? Number(key) : key] });
    }
  }
  return undefined;
}

/** The text as Postgres stores it: a NUL and half a surrogate pair, which it takes in no text of JSON, become U+FFFD. */
export function storableText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed();
}

/**
 * The JSON of a value as Postgres stores it, whatever its texts are: see {@link storableText}. What cuts texts leaves half of
 * an emoji easily, and a step whose result cannot be written down would end the run.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!SUSPICIOUS_ESCAPE.test(text)) return text;
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return storableText(member);
    if (!isJsonObject(member) || Object.keys(member).every((key) => storableText(key) === key)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, each]) => [storableText(key), each]));
  });
}
