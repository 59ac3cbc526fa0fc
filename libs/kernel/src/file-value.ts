import { isId } from './ids.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';

/** A stored file as a value in a run. The other four members describe the row of the file. */
export type FileValue = JsonObject & {
  file: string;
  filename: string;
  content_type: string;
  bytes: number;
  sha256: string;
};

/** A value that names a file, before its other members have been written from the row. */
export type NamedFile = JsonObject & { file: string };

/** A place at which a value names a file. */
export interface FilePlace {
  id: string;
  /** Members and positions from the root of the searched value. */
  path: readonly string[];
}

const FIXTURE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export function isFixtureName(name: string): boolean {
  return FIXTURE_NAME.test(name);
}

/** Whether the value names a file: an object whose `file` has the form of an id. The id proves nothing. */
export function isFileValue(value: JsonValue | undefined): value is NamedFile {
  return value !== undefined && isJsonObject(value) && isId('file', value.file);
}

/** Returns all places at which the value names a file, in order. The value itself counts too. */
export function fileValuesIn(value: JsonValue, path: readonly string[] = []): FilePlace[] {
  const places: FilePlace[] = [];
  collect(value, path, places);
  return places;
}

/** Like {@link fileValuesIn}, but the value itself does not count: an input may have a member `file`. */
export function fileValuesBelow(value: JsonValue): FilePlace[] {
  if (!isJsonObject(value)) return fileValuesIn(value);
  return Object.entries(value).flatMap(([key, member]) => fileValuesIn(member, [key]));
}

function collect(value: JsonValue, path: readonly string[], places: FilePlace[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (isFileValue(value)) {
    places.push({ id: value.file, path });
    return;
  }
  if (Array.isArray(value)) value.forEach((item, at) => collect(item, [...path, String(at)], places));
  else for (const [key, member] of Object.entries(value)) collect(member, [...path, key], places);
}

/**
 * Returns a copy in which each value that names a file is replaced. If `replacement` returns undefined, the value stays.
 * The copy shares unchanged parts with the original.
 */
export function replaceFileValues(
  value: JsonValue,
  replacement: (named: NamedFile) => JsonValue | undefined,
): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isFileValue(value)) return replacement(value) ?? value;
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceFileValues(item, replacement));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const members = Object.entries(value).map(([key, member]) => [key, replaceFileValues(member, replacement)] as const);
  return members.every(([key, member]) => member === value[key]) ? value : Object.fromEntries(members);
}
