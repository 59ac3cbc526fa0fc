export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the value of a table for a key from external input. Unlike `table[key]`, it returns undefined for inherited
 * properties such as `constructor` and `__proto__`.
 */
export function ownMember<Value>(table: Readonly<Partial<Record<string, Value>>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/**
 * Formats JSON with sorted fields (code-unit order, as in RFC 8785) and without white space, so that equal values have
 * the same text, hash and signature.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`);
  return `{${members.join(',')}}`;
}

export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Maximum nesting of external data. Recursive code and Postgres accept much deeper values. */
export const MAX_JSON_DEPTH = 200;

/**
 * Maximum number of items and members of external data, at all levels together. The time that Postgres needs for a
 * value depends on this number more than on the size in bytes.
 */
export const MAX_JSON_VALUES = 300_000;

export function hasTooManyValues(root: unknown): boolean {
  let count = 0;
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += members.length;
    if (count > MAX_JSON_VALUES) return true;
    for (const member of members) if (typeof member === 'object' && member !== null) open.push(member);
  }
  return false;
}

// Characters that Postgres cannot store in jsonb: NUL and unpaired surrogates.
const UNSTORABLE = /\0|\p{Surrogate}/u;
// A text can also contain such a sequence literally, so a match only means that the value needs a closer check.
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/;

/**
 * The service rejects nesting beyond `maxDepth`, more than `MAX_JSON_VALUES` items and members, numbers beyond the
 * range of doubles, NUL characters and unpaired surrogates. The keys `__proto__` and `constructor` are accepted, so
 * code that copies an object must define properties instead of assigning them.
 */
export function findUnsafeJson(
  root: unknown,
  maxDepth = MAX_JSON_DEPTH,
): { pointer: string; detail: string } | undefined {
  if (hasTooManyValues(root))
    return { pointer: '', detail: `The value has more than ${MAX_JSON_VALUES} items and members.` };
  const found = unsafePlace(root, 0, maxDepth);
  return found && { pointer: jsonPointer(found.path.reverse()), detail: found.detail };
}

/** The recursion ends at `maxDepth`. */
function unsafePlace(
  value: unknown,
  depth: number,
  maxDepth: number,
): { path: (string | number)[]; detail: string } | undefined {
  const here = (detail: string) => ({ path: [], detail });
  if (typeof value === 'string' && UNSTORABLE.test(value))
    return here('Text must not contain NUL characters or unpaired surrogates (half of a UTF-16 character).');
  // JSON.parse reads `1e400` as Infinity, which JSON.stringify would write as null.
  if (typeof value === 'number' && !Number.isFinite(value)) return here('The number is too large.');
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) return here(`The value is nested deeper than ${maxDepth} levels.`);
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof key === 'string' && UNSTORABLE.test(key)) return here(`The key ${JSON.stringify(key)} is not allowed.`);
    const found = unsafePlace(member, depth + 1, maxDepth);
    if (found) return { ...found, path: [...found.path, key] };
  }
  return undefined;
}

/** Replaces the characters that Postgres cannot store in jsonb (NUL and unpaired surrogates) by U+FFFD. */
export function storableText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed();
}

/** Without it, a run would fail if Postgres cannot store the result of a step. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!SUSPICIOUS_ESCAPE.test(text)) return text;
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return storableText(member);
    if (!isJsonObject(member) || Object.keys(member).every((key) => storableText(key) === key)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, each]) => [storableText(key), each]));
  });
}

/** Merges objects like JSON Merge Patch (RFC 7396), but null is an ordinary value and deletes nothing. */
export function mergedJson(base: JsonObject, change: JsonObject): JsonObject {
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key] ?? null;
    result[key] = isJsonObject(before) && isJsonObject(value) ? mergedJson(before, value) : value;
  }
  return result;
}
