import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

export const REDACTED = '[redacted]';

/** Workers decrypt `$sealed`, and readers see `shown`. */
export type SealedValue = JsonObject & { $sealed: string; shown: string };

export function isSealed(value: JsonValue): value is SealedValue {
  return (
    isJsonObject(value) &&
    typeof value.$sealed === 'string' &&
    typeof value.shown === 'string' &&
    Object.keys(value).length === 2
  );
}

/** Returns the same object if nothing is sealed. */
export function shownValue(value: JsonValue): JsonValue {
  return replaceValues(value, (each) => (isSealed(each) ? each.shown : undefined));
}

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

/** An output of any other type is returned as `{value}`. */
export function shownOutput(output: JsonValue): JsonObject | null {
  const shown = shownValue(output);
  return shown === null || isJsonObject(shown) ? shown : { value: shown };
}

/**
 * If a field equals the `shown` of the sealed value at the same place in `stored`, the field is replaced by this sealed
 * value.
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
 * Calls `replacement` for outer values first, and not inside replaced values. The copy shares unchanged parts with the
 * original.
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
