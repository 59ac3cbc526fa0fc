import fc from 'fast-check';
import { hostileJson } from './hostile-values.js';

type Path = readonly (string | number)[];

/** Generates copies of `value` in which up to three fields, at any depth, have unexpected values. */
export function mutationsOf(value: unknown): fc.Arbitrary<unknown> {
  const places = pathsIn(value);
  const change = fc.tuple(fc.constantFrom(...places), hostileJson);
  return fc
    .array(change, { minLength: 0, maxLength: 3 })
    .map((changes) => changes.reduce((whole, [path, hostile]) => replaced(whole, path, hostile), value));
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

/** Returns a copy in which `by` replaces the field at the path. If the path no longer exists, the copy is unchanged. */
function replaced(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
  if (name === undefined) return by;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((member: unknown, n) => (n === name ? replaced(member, rest, by) : member));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === name ? replaced(member, rest, by) : member]),
  );
}
