import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ReadValue, Scope } from './expression.js';
import { memberName, type Visit } from './cel-tree.js';

/** A value in the form that the engine accepts. A Map represents an object with a field `constructor`. */
type EngineValue = JsonValue | Map<string, EngineValue> | EngineValue[] | { [key: string]: EngineValue };

/** The data of a run never changes, so each object is inspected once, even if several expressions read it. */
const known = new WeakMap<object, EngineValue>();
const sizes = new WeakMap<object, number>();

/** Size of a number, a bool or null with its comma, in bytes. */
const SCALAR_BYTES = 4;
/** Size of the brackets and the comma of a list or object, and of the quotes and the colon of a key, in bytes. */
const PUNCTUATION_BYTES = 3;

/**
 * Converts the values in scope to the form that the engine accepts. The engine reads the `constructor` of an object to
 * find its type, so an object with a field of that name is passed as a Map. Expressions see no difference.
 *
 * A run that continues after a restart reads its values from Postgres, and must compute the same results. Therefore the
 * members of each object get the order in which Postgres stores them.
 */
export function engineScope(scope: Scope): Record<string, EngineValue> {
  // The object `steps` gets new members during the run, so its conversion is not cached. The output of an ended step
  // never changes, so its conversion is cached.
  return withEngineValues(scope, (value, name) =>
    name === 'steps' && isJsonObject(value) ? withEngineValues(value, engineValue) : engineValue(value),
  );
}

function withEngineValues(
  object: Scope,
  taken: (value: JsonValue, name: string) => EngineValue,
): Record<string, EngineValue> {
  let copy: Record<string, EngineValue> | undefined;
  for (const name of Object.keys(object)) {
    const value = object[name]!;
    const engine = taken(value, name);
    if (engine !== value) (copy ??= { ...object })[name] = engine;
  }
  return copy ?? object;
}

function engineValue(value: JsonValue): EngineValue {
  if (typeof value !== 'object' || value === null) return value;
  const cached = known.get(value);
  if (cached !== undefined) return cached;
  const converted = convert(value);
  known.set(value, converted);
  return converted;
}

function convert(value: JsonValue): EngineValue {
  if (Array.isArray(value)) {
    const items = value.map(engineValue);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value) || isAccepted(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, engineValue(member)] as const);
  const ordered = Object.fromEntries(members.sort(([a], [b]) => compareKeys(a, b)));
  return Object.hasOwn(value, 'constructor') ? new Map(Object.entries(ordered)) : ordered;
}

/** This is the usual case, so the check allocates nothing. */
function isAccepted(object: JsonObject): boolean {
  let before: string | undefined;
  for (const key of Object.keys(object)) {
    const member = object[key]!;
    if (key === 'constructor' || engineValue(member) !== member || !isOrdered(before, key)) return false;
    before = key;
  }
  return true;
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/**
 * Whether the key `key` may follow the key `before` in the order of Postgres. Any key may follow a whole number,
 * because JavaScript always puts keys that are whole numbers first.
 */
function isOrdered(before: string | undefined, key: string): boolean {
  return before === undefined || INDEX.test(before) || compareKeys(before, key) < 0;
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Compares keys in the order of `jsonb` in Postgres: shorter keys first, and then by their bytes. */
function compareKeys(left: string, right: string): number {
  // In ASCII text, each character is one byte.
  if (!BEYOND_ASCII.test(left) && !BEYOND_ASCII.test(right))
    return left.length - right.length || (left < right ? -1 : Number(left > right));
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length - b.length || Buffer.compare(a, b);
}

export type DataPath = readonly string[];

export function mentionedPaths(visits: readonly Visit[], names: ReadonlySet<string>): DataPath[] {
  const parents = new Map(visits.map((visit) => [visit.node, visit.parent]));
  return visits.flatMap(({ node, bound, isBinder }) => {
    if (node.op !== 'id' || isBinder || bound.has(node.args) || !names.has(node.args)) return [];
    const path = [node.args];
    let at: Visit['node'] = node;
    for (let parent = parents.get(at); parent !== undefined; parent = parents.get(at)) {
      const name = memberName(at, parent);
      if (name === undefined) break;
      path.push(name);
      at = parent;
    }
    return [path];
  });
}

export function outermostPaths(paths: readonly DataPath[]): DataPath[] {
  return paths.filter((path, index) => !paths.some((other, at) => at !== index && contains(other, path, at < index)));
}

function contains(other: DataPath, path: DataPath, orEqual: boolean): boolean {
  const isInside = other.length < path.length || (orEqual && other.length === path.length);
  return isInside && other.every((name, index) => name === path[index]);
}

export function bytesAt(paths: readonly DataPath[], scope: Scope): number {
  return paths.reduce((sum, path) => sum + bytesOf(valueAt(path, scope)), 0);
}

export function truncatedOutput(paths: readonly DataPath[], { steps }: Scope): TruncatedOutput | undefined {
  for (const [root, id = '', member] of paths) {
    const step = root === 'steps' && member === 'output' && isJsonObject(steps) ? steps[id] : undefined;
    const output = isJsonObject(step) ? step.output : undefined;
    if (isJsonObject(output) && output.truncated === true)
      return { path: `steps.${id}.output`, bytes: typeof output.bytes === 'number' ? output.bytes : null };
  }
  return undefined;
}

export interface TruncatedOutput {
  readonly path: string;
  readonly bytes: number | null;
}

/** A path is cut at the first name that is not a member of its value, for example at the name of a method. */
export function valuesAt(paths: readonly DataPath[], scope: Scope): ReadValue[] {
  const values = paths.flatMap((path) => {
    let [length, value] = [0, scope as JsonValue];
    for (const name of path) {
      if (!isJsonObject(value) || !Object.hasOwn(value, name)) break;
      value = value[name]!;
      length += 1;
    }
    return length === 0 ? [] : [{ path: path.slice(0, length).join('.'), value }];
  });
  return values.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function valueAt(path: DataPath, scope: Scope): JsonValue | undefined {
  let at: JsonValue | undefined = scope;
  for (const name of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return at;
    at = at[name];
  }
  return at;
}

function bytesOf(value: JsonValue | undefined): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + PUNCTUATION_BYTES;
  if (typeof value !== 'object' || value === null) return SCALAR_BYTES;
  const cached = sizes.get(value);
  if (cached !== undefined) return cached;
  let bytes = PUNCTUATION_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += bytesOf(item);
  else for (const [key, member] of Object.entries(value)) bytes += key.length + PUNCTUATION_BYTES + bytesOf(member);
  sizes.set(value, bytes);
  return bytes;
}
