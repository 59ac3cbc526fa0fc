import { canonicalJson, isJsonObject, type JsonObject, jsonPointer, type JsonValue } from '@app/kernel';
import type { CompiledDefinition } from '../model/compiled-definition.js';

/** info: less reach, or nothing that reaches further. warning: look at it. critical: more reach or less control. */
export const CHANGE_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type ChangeSeverity = (typeof CHANGE_SEVERITIES)[number];

/** What a version can do that the other could not, or the reverse, in words for whoever wants to promote it. */
export interface CapabilityChange {
  /** `<noun>_<gained|lost|changed>`. */
  kind: string;
  severity: ChangeSeverity;
  message: string;
  /** JSON Pointer into the definition that has it: the newer one, but for what is lost. */
  pointer: string;
  before: JsonValue;
  after: JsonValue;
}

/** A definition as it is written and as it is understood. */
export interface ComparedDefinition {
  readonly raw: JsonObject;
  readonly compiled: CompiledDefinition;
}

export interface Comparison {
  readonly before: ComparedDefinition;
  readonly after: ComparedDefinition;
}

type Path = readonly (string | number)[];

/** The item of a list member whose `key` has this value, as a path; the path of the list where there is none. */
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

/** Members of both, by name: what is only in one of them, and what is in both and differs. */
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

/** What each member that is only in one of them, or in both, means. In both and equal means nothing: `kept` gives none then. */
export function matchedChanges<T>(
  [before, after]: readonly [ReadonlyMap<string, T>, ReadonlyMap<string, T>],
  meaning: {
    gained: (name: string, one: T) => CapabilityChange;
    lost: (name: string, one: T) => CapabilityChange;
    kept?: (name: string, one: T, other: T) => CapabilityChange | null;
  },
): CapabilityChange[] {
  const { gained, lost, kept } = matched(before, after);
  return [
    ...gained.map(([name, one]) => meaning.gained(name, one)),
    ...lost.map(([name, one]) => meaning.lost(name, one)),
    ...kept.flatMap(([name, one, other]) => meaning.kept?.(name, one, other) ?? []),
  ];
}

export function isEqual(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** The member of a JSON object, null where there is none or it is none. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue {
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

/** Items of the list member that are objects, by the text of their `key`. */
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
