import { canonicalJson, isJsonObject, type JsonValue } from '@app/kernel';

/** A text contains a text, a list an item, an object members; an object contains a text where its JSON does. */
export function contains(value: JsonValue, part: JsonValue): boolean {
  if (Array.isArray(value)) return value.some((item) => isEqual(item, part));
  if (isJsonObject(value) && isJsonObject(part))
    return Object.entries(part).every(
      ([name, member]) => Object.hasOwn(value, name) && isEqual(value[name] ?? null, member),
    );
  return typeof part === 'string' && (textOf(value)?.includes(part) ?? false);
}

/** What there is to read: a text, or an object written down, such as the whole output. */
export function textOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : undefined;
}

/** The same JSON, in whatever order members stand. */
export function isEqual(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
