import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { isSealed } from './sealed-value.js';

/** `*` matches any one part. */
export type RedactPath = readonly string[];

/** The returned paths are relative to `place`. An empty path selects the whole value. */
export function pathsInside(paths: readonly RedactPath[], place: RedactPath): RedactPath[] {
  return paths
    .filter((path) => place.every((part, at) => matches(path[at], part)))
    .map((path) => path.slice(place.length));
}

/**
 * If the path is shorter than the place, `pattern` is undefined. The path then selects everything below its end, so the
 * parts match.
 */
function matches(pattern: string | undefined, part: string): boolean {
  return pattern === undefined || pattern === '*' || pattern === part;
}

/**
 * If the path is empty and the value is an object, each of its fields is replaced instead of the object. Any other part
 * is applied to each item.
 */
export function replaceAt(value: JsonValue, path: RedactPath, conceal: (value: JsonValue) => JsonValue): JsonValue {
  return isJsonObject(value) && !isSealed(value) && path.length === 0
    ? mapMembers(value, conceal)
    : replaceBelow(value, path, conceal);
}

function replaceBelow(value: JsonValue, path: RedactPath, conceal: (value: JsonValue) => JsonValue): JsonValue {
  const [part, ...rest] = path;
  if (part === undefined) return conceal(value);
  // Another path has sealed the value with everything inside it.
  if (isSealed(value)) return value;
  if (Array.isArray(value)) return replaceInList(value, path, conceal);
  if (!isJsonObject(value)) return value;
  const next = (member: JsonValue): JsonValue => replaceBelow(member, rest, conceal);
  if (part === '*') return mapMembers(value, next);
  return Object.hasOwn(value, part) ? { ...value, [part]: next(value[part] ?? null) } : value;
}

function replaceInList(list: JsonValue[], path: RedactPath, conceal: (value: JsonValue) => JsonValue): JsonValue[] {
  const [part = '', ...rest] = path;
  if (part === '*') return list.map((item) => replaceBelow(item, rest, conceal));
  if (/^\d+$/.test(part))
    return list.map((item, at) => (at === Number(part) ? replaceBelow(item, rest, conceal) : item));
  return list.map((item) => replaceBelow(item, path, conceal));
}

function mapMembers(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]));
}
