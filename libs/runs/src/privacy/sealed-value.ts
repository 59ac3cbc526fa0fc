import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

export const REDACTED = '[redacted]';

/** A value that is stored encrypted instead of the original. Workers decrypt it, and readers see `shown`. */
export type SealedValue = JsonObject & { $sealed: string; shown: string };

export function isSealed(value: JsonValue): value is SealedValue {
  return (
    isJsonObject(value) &&
    typeof value.$sealed === 'string' &&
    typeof value.shown === 'string' &&
    Object.keys(value).length === 2
  );
}

/** Returns the value with `shown` in place of sealed values. Returns the same object if nothing is sealed. */
export function shownValue(value: JsonValue): JsonValue {
  return replaceValues(value, (each) => (isSealed(each) ? each.shown : undefined));
}

export function shownObject(object: JsonObject): JsonObject {
  const shown = shownValue(object);
  return isJsonObject(shown) ? shown : {};
}

/** Returns the output of a run for readers: an object, null if there is no output, or `{value}` for any other type. */
export function shownOutput(output: JsonValue): JsonObject | null {
  const shown = shownValue(output);
  return shown === null || isJsonObject(shown) ? shown : { value: shown };
}

/**
 * Compares the object with `stored`. If a field equals the shown text of the sealed value at the same location in
 * `stored`, replaces the field by the sealed value.
 */
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

/**
 * Returns a copy with each value for which `replacement` returns a value replaced, outermost first. Unchanged parts are
 * shared with the original.
 */
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
