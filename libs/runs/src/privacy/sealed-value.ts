import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** What everybody sees where something is kept from them. */
export const REDACTED = '[redacted]';

/**
 * A value that is stored encrypted, in the very place where it belongs: whoever carries the run out opens it, everybody else
 * sees `shown`. A run's rows hold it wherever they would hold the value itself.
 */
export type SealedValue = JsonObject & { $sealed: string; shown: string };

export function isSealed(value: JsonValue): value is SealedValue {
  return (
    isJsonObject(value) &&
    typeof value.$sealed === 'string' &&
    typeof value.shown === 'string' &&
    Object.keys(value).length === 2
  );
}

/** The value as it may be shown. The very same value where nothing of it is sealed, which costs one walk and no memory. */
export function shownValue(value: JsonValue): JsonValue {
  return replaceValues(value, (each) => (isSealed(each) ? each.shown : undefined));
}

export function shownObject(object: JsonObject): JsonObject {
  const shown = shownValue(object);
  return isJsonObject(shown) ? shown : {};
}

/**
 * The output of a run as it may be shown: an object, whatever the plan or the model made of it. A list, a text or a number is
 * its `value`; null where there is no output.
 */
export function shownOutput(output: JsonValue): JsonObject | null {
  const shown = shownValue(output);
  return shown === null || isJsonObject(shown) ? shown : { value: shown };
}

/** The object with what is sealed in `stored` wherever it repeats what is shown of that at the same place. */
export function restoredObject(object: JsonObject, stored: JsonValue): JsonObject {
  if (!isJsonObject(stored)) return object;
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [
      key,
      restored(member, Object.hasOwn(stored, key) ? (stored[key] ?? null) : null),
    ]),
  );
}

function restored(value: JsonValue, stored: JsonValue): JsonValue {
  if (isSealed(stored)) return value === stored.shown ? stored : value;
  if (Array.isArray(value))
    return value.map((item, at) => restored(item, Array.isArray(stored) ? (stored[at] ?? null) : null));
  return isJsonObject(value) ? restoredObject(value, stored) : value;
}

/** A copy in which `replacement` stands for each value that it gives one for, outermost first; shares what did not change. */
export function replaceValues(value: JsonValue, replacement: (value: JsonValue) => JsonValue | undefined): JsonValue {
  const replaced = replacement(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceValues(item, replacement));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const members = entries.map(([key, member]) => [key, replaceValues(member, replacement)] as const);
  return members.every(([, member], index) => member === entries[index]?.[1]) ? value : Object.fromEntries(members);
}
