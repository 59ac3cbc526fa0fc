export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a table for a key from outside, which may be `constructor` or `__proto__`: those are members of every object. */
export function ownMember<Value>(table: Readonly<Partial<Record<string, Value>>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
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

/** Most levels of nesting of data from outside: far below what recursion and Postgres survive, also inside of what is made of it. */
export const MAX_JSON_DEPTH = 200;

// Postgres stores neither in jsonb.
const UNSTORABLE = /\0|\p{Surrogate}/u;
// How JSON.stringify writes them; a text that tells of such an escape matches as well.
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/;

/**
 * The first thing in parsed JSON that the service refuses to carry: nesting beyond `maxDepth`, a number beyond the range of
 * doubles, or text with a NUL character or half a surrogate pair, which Postgres cannot store. Undefined when there is none.
 * Every key is data, `__proto__` and `constructor` too: whoever copies an object defines its members and never assigns them.
 */
export function findUnsafeJson(
  root: unknown,
  maxDepth = MAX_JSON_DEPTH,
): { pointer: string; detail: string } | undefined {
  const found = unsafePlace(root, 0, maxDepth);
  return found && { pointer: jsonPointer(found.path.reverse()), detail: found.detail };
}

/** What is wrong, and the path to it from its end: it is put together on the way back. Recursion ends at `maxDepth`. */
function unsafePlace(
  value: unknown,
  depth: number,
  maxDepth: number,
): { path: (string | number)[]; detail: string } | undefined {
  const here = (detail: string) => ({ path: [], detail });
  if (typeof value === 'string' && UNSTORABLE.test(value))
    return here('Text must not contain NUL characters or half a surrogate pair.');
  // `1e400` is read as one that JSON has no notation for, and would be written down as null.
  if (typeof value === 'number' && !Number.isFinite(value)) return here('The number is too large.');
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) return here(`Nested deeper than ${maxDepth} levels.`);
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof key === 'string' && UNSTORABLE.test(key)) return here(`The key ${JSON.stringify(key)} is not allowed.`);
    const found = unsafePlace(member, depth + 1, maxDepth);
    if (found) return { ...found, path: [...found.path, key] };
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

/** RFC 7396 without its deletions: lists and single values, null included, take the places of the ones before. */
export function mergedJson(base: JsonObject, change: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key] ?? null;
    result[key] = isJsonObject(before) && isJsonObject(value) ? mergedJson(before, value) : value;
  }
  return result;
}
