import { isJsonObject, type JsonValue } from '@app/kernel';
import type { Scope } from './expression.js';

/** A value in the form that the engine accepts. An object with a field `constructor` is a Map. */
type EngineValue = JsonValue | Map<string, EngineValue> | EngineValue[] | { [key: string]: EngineValue };

/**
 * Caches converted values. The data of a run never changes, so each object is inspected once and not for every
 * expression.
 */
const known = new WeakMap<object, EngineValue>();

/**
 * Converts the values in scope to the form that the engine accepts. The engine reads the `constructor` of an object to
 * find its type, so an object with a field of that name is passed as a Map. Expressions see no difference.
 */
export function engineScope(scope: Scope): Record<string, EngineValue> {
  // The object `steps` gets new members during the run, but the output of each ended step never changes.
  return withEngineValues(scope, (value, name) =>
    name === 'steps' && isJsonObject(value) ? withEngineValues(value, engineValue) : engineValue(value),
  );
}

/** Returns the object itself if the engine accepts all of its fields unchanged, which is nearly always so. */
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
  const converted = known.get(value) ?? (hasConstructor(value) ? converting(value) : value);
  known.set(value, converted);
  return converted;
}

function hasConstructor(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasConstructor);
  return isJsonObject(value) && (Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructor));
}

function converting(value: JsonValue): EngineValue {
  if (Array.isArray(value)) return value.map(converting);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, converting(member)] as const);
  return Object.hasOwn(value, 'constructor') ? new Map(members) : Object.fromEntries(members);
}
