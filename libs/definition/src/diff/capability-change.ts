import { canonicalJson, isJsonObject, type JsonObject, jsonPointer, type JsonValue } from '@app/kernel';
import type { CompiledDefinition } from '../model/compiled-definition.js';

/**
 * info: less reach, or no more than before. warning: a person should look at it. critical: more reach or less control.
 */
export const CHANGE_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type ChangeSeverity = (typeof CHANGE_SEVERITIES)[number];

/** A difference in what two versions can do, with a message for the person who promotes. */
export interface CapabilityChange {
  /** `<noun>_<gained|lost|changed>`. */
  kind: string;
  severity: ChangeSeverity;
  message: string;
  /** JSON Pointer into the newer definition; for something lost, into the older one. */
  pointer: string;
  before: JsonValue;
  after: JsonValue;
}

/** A definition as written and as compiled. */
export interface ComparedDefinition {
  readonly raw: JsonObject;
  readonly compiled: CompiledDefinition;
}

export interface Comparison {
  readonly before: ComparedDefinition;
  readonly after: ComparedDefinition;
}

type Path = readonly (string | number)[];

/** The path of the item of `list` whose `key` has this value; the path of the list if there is none. */
export function placeOf(raw: JsonObject, list: string, key: string, value: string): Path {
  const items = raw[list];
  const index = Array.isArray(items) ? items.findIndex((item) => isJsonObject(item) && item[key] === value) : -1;
  return index < 0 ? [list] : [list, index];
}

export function change(
  kind: string,
  severity: ChangeSeverity,
  message: string,
  path: Path,
  [before, after]: readonly [JsonValue, JsonValue] = [null, null],
): CapabilityChange {
  return { kind, severity, message, pointer: jsonPointer(path), before, after };
}

/** Matches members by name: those only in `after`, those only in `before`, and those in both. */
export function matched<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): { gained: [string, T][]; lost: [string, T][]; kept: [string, T, T][] } {
  return {
    gained: [...after].filter(([name]) => !before.has(name)),
    lost: [...before].filter(([name]) => !after.has(name)),
    kept: [...before].flatMap(([name, one]): [string, T, T][] => {
      const other = after.get(name);
      return other === undefined ? [] : [[name, one, other]];
    }),
  };
}

/** The changes of members that are matched by name. `kept` returns null for equal members. */
export function matchedChanges<T>(
  [before, after]: readonly [ReadonlyMap<string, T>, ReadonlyMap<string, T>],
  changesOf: {
    gained: (name: string, one: T) => CapabilityChange;
    lost: (name: string, one: T) => CapabilityChange;
    kept?: (name: string, one: T, other: T) => CapabilityChange | null;
  },
): CapabilityChange[] {
  const { gained, lost, kept } = matched(before, after);
  return [
    ...gained.map(([name, one]) => changesOf.gained(name, one)),
    ...lost.map(([name, one]) => changesOf.lost(name, one)),
    ...kept.flatMap(([name, one, other]) => changesOf.kept?.(name, one, other) ?? []),
  ];
}

export function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** The member of a JSON object; null if it has none, or if the value is not an object. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue {
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

/** The objects in `list`, by the text of their `key`. */
export function itemsByName(raw: JsonObject, list: string, key: string): ReadonlyMap<string, JsonObject> {
  const items = raw[list];
  const objects = Array.isArray(items) ? items.filter(isJsonObject) : [];
  return new Map(
    objects.flatMap((item): [string, JsonObject][] => {
      const name = item[key];
      return typeof name === 'string' ? [[name, item]] : [];
    }),
  );
}
