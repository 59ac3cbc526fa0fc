import { canonicalJson, isJsonObject, type JsonObject, jsonPointer, type JsonValue } from '@app/kernel';
import type { CompiledDefinition } from '../model/compiled-definition.js';

/**
 * info: the agent can do the same or less than before. warning: a person should look at the change. critical: the agent
 * can do more, or is controlled less.
 */
export const CHANGE_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type ChangeSeverity = (typeof CHANGE_SEVERITIES)[number];

/**
 * A difference between what two versions can do. The message is for the person who wants to promote the newer version.
 */
export interface CapabilityChange {
  /** Has the form `<noun>_<gained|lost|changed>`. */
  kind: string;
  severity: ChangeSeverity;
  message: string;
  /** JSON Pointer into the newer definition. For a lost capability, JSON Pointer into the older definition. */
  pointer: string;
  before: JsonValue;
  after: JsonValue;
}

export interface ComparedDefinition {
  readonly raw: JsonObject;
  readonly compiled: CompiledDefinition;
}

export interface Comparison {
  readonly before: ComparedDefinition;
  readonly after: ComparedDefinition;
}

type Path = readonly (string | number)[];

/**
 * Returns the path of the item of `list` whose field `key` has this value, or the path of the list if no item has it.
 */
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

/**
 * Matches the members of two maps by name and returns the changes. `changesOf` describes members that were added
 * (`gained`), members that were removed (`lost`), and members in both maps (`kept`). `kept` returns null for an
 * unchanged member.
 */
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

export function memberOf(value: JsonValue | undefined, name: string): JsonValue {
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

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
