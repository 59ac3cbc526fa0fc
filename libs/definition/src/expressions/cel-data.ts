import { isJsonObject, type JsonValue } from '@app/kernel';
import type { Scope } from './expression.js';

/** A value as the engine takes it; an object that has a member `constructor` is a Map. */
type EngineValue = JsonValue | Map<string, EngineValue> | EngineValue[] | { [key: string]: EngineValue };

/** The data of a run is never changed, so it is looked through once and not for every expression. */
const known = new WeakMap<object, EngineValue>();

/**
 * The values in scope as the engine takes them. It tells what an object is by its `constructor`, so one that has a
 * member of that name, which is as good a name as any in data, is given to it as a Map: to expressions that is the
 * same.
 */
export function engineScope(scope: Scope): Record<string, EngineValue> {
  // The steps that have ended become more; what each of them gave stays the same.
  return withEngineValues(scope, (value, name) =>
    name === 'steps' && isJsonObject(value) ? withEngineValues(value, engineValue) : engineValue(value),
  );
}

/** The object itself where the engine takes all of its members as they are, which is nearly always. */
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
