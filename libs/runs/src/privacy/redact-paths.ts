import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** Parts of a dotted path; `*` stands for any one part. */
export type RedactPath = readonly string[];

/** What is left of the paths inside the value that stands at `place`; an empty rest means all of it. */
export function pathsInside(paths: readonly RedactPath[], place: RedactPath): RedactPath[] {
  return paths
    .filter((path) => place.every((part, at) => matches(path[at], part)))
    .map((path) => path.slice(place.length));
}

/** A path that ends above the place covers everything below its end. */
function matches(pattern: string | undefined, part: string): boolean {
  return pattern === undefined || pattern === '*' || pattern === part;
}

/**
 * A copy of an object (or of anything else) in which `conceal` stands for what the path leads to. An object as a whole stays
 * one: its members are replaced. A path goes through lists by position, by `*`, or without a word: then for every item.
 */
export function replaceAt(value: JsonValue, path: RedactPath, conceal: (value: JsonValue) => JsonValue): JsonValue {
  return isJsonObject(value) && path.length === 0 ? mapMembers(value, conceal) : replaceBelow(value, path, conceal);
}

function replaceBelow(value: JsonValue, path: RedactPath, conceal: (value: JsonValue) => JsonValue): JsonValue {
  const [part, ...rest] = path;
  if (part === undefined) return conceal(value);
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
