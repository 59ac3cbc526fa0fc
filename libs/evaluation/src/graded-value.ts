import { canonicalJson, isJsonObject, type JsonValue } from '@app/kernel';

/**
 * A text contains a substring, a list an equal item, an object equal members; the JSON of an object contains a text.
 */
export function contains(value: JsonValue, part: JsonValue): boolean {
  if (Array.isArray(value)) return value.some((item) => isEqual(item, part));
  if (isJsonObject(value) && isJsonObject(part))
    return Object.entries(part).every(
      ([name, member]) => Object.hasOwn(value, name) && isEqual(value[name] ?? null, member),
    );
  return typeof part === 'string' && (textOf(value)?.includes(part) ?? false);
}

/** Returns a text unchanged and an object as JSON, for example the whole output. */
export function textOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : undefined;
}

/** Compares JSON values without regard to the order of members. */
export function isEqual(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
