import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

export const REDACTED = '[redacted]';

/** An encrypted value that is stored instead of the original. Workers decrypt `$sealed`, and readers see `shown`. */
export type SealedValue = JsonObject & { $sealed: string; shown: string };

export function isSealed(value: JsonValue): value is SealedValue {
  return (
    isJsonObject(value) &&
    typeof value.$sealed === 'string' &&
    typeof value.shown === 'string' &&
    Object.keys(value).length === 2
  );
}

/**
 * Returns a copy in which each sealed value is replaced by its `shown`. Returns the same object if nothing is sealed.
 */
export function shownValue(value: JsonValue): JsonValue {
  return replaceValues(value, (each) => (isSealed(each) ? each.shown : undefined));
}

/**
 * Returns the parts of the text that are redacted in `shown`. The texts between them determine where each part begins
 * and ends.
 */
export function redactedParts(text: string, shown: string): string[] {
  const [begin = '', ...rest] = shown.split(REDACTED);
  let at = begin.length;
  return rest.flatMap((next, index) => {
    const isLast = index === rest.length - 1;
    if (next === '' && !isLast) return [];
    const end = isLast ? text.length - next.length : text.indexOf(next, at);
    const part = text.slice(at, end);
    at = end + next.length;
    return part;
  });
}

export function shownObject(object: JsonObject): JsonObject {
  const shown = shownValue(object);
  return isJsonObject(shown) ? shown : {};
}

/**
 * Returns the output of a run as readers see it. The result is an object, or null if there is no output. An output of
 * any other type is returned as `{value}`.
 */
export function shownOutput(output: JsonValue): JsonObject | null {
  const shown = shownValue(output);
  return shown === null || isJsonObject(shown) ? shown : { value: shown };
}

/**
 * Restores redacted values in an object that a reader has edited. If a field equals the `shown` of the sealed value at
 * the same place in `stored`, the field is replaced by this sealed value.
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
 * Returns a copy in which each value is replaced by the result of `replacement`. If the result is undefined, the value
 * is kept. Calls `replacement` for outer values first, and not inside replaced values. The copy shares unchanged parts
 * with the original.
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
