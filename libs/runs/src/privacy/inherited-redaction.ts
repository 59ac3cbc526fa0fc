import { isJsonObject, type JsonValue } from '@app/kernel';
import { isSealed, REDACTED, redactedParts, type SealedValue } from './sealed-value.js';

export interface InheritedRedaction {
  places: JsonValue;
  /** Redacted texts that are parts of texts in the input. */
  texts: readonly string[];
}

/**
 * The stored input is therefore the only record of it.
 * @param open returns the original value, or undefined if the value only has the form of a sealed value
 */
export function inheritedRedaction(
  input: JsonValue,
  open: (value: SealedValue) => JsonValue | undefined,
): InheritedRedaction | undefined {
  const texts: string[] = [];
  const placesIn = (value: JsonValue): JsonValue => {
    if (isSealed(value)) {
      const original = open(value);
      if (original === undefined) return null;
      if (value.shown === REDACTED) return true;
      if (typeof original === 'string') texts.push(...redactedParts(original, value.shown));
      return null;
    }
    if (Array.isArray(value)) {
      const items = value.map(placesIn);
      return items.some((item) => item !== null) ? items : null;
    }
    if (!isJsonObject(value)) return null;
    const members = Object.entries(value).map(([key, member]) => [key, placesIn(member)] as const);
    const found = members.filter(([, member]) => member !== null);
    return found.length > 0 ? Object.fromEntries(found) : null;
  };
  const places = placesIn(input);
  return places === null && texts.length === 0 ? undefined : { places, texts };
}

/** Returns the places below a path of names and list indices. */
export function placesBelow(places: JsonValue, path: readonly string[]): JsonValue {
  let below = places;
  for (const part of path) {
    if (below === true) return true;
    if (Array.isArray(below)) below = below[Number(part)] ?? null;
    else below = isJsonObject(below) && Object.hasOwn(below, part) ? (below[part] ?? null) : null;
  }
  return below;
}

/** Returns a copy in which each value at one of the places is replaced by the result of `conceal`. */
export function replaceAtPlaces(
  value: JsonValue,
  places: JsonValue,
  conceal: (value: JsonValue) => JsonValue,
): JsonValue {
  if (places === true || (places !== null && isSealed(value))) return conceal(value);
  if (places === null) return value;
  if (Array.isArray(value))
    return value.map((item, index) => replaceAtPlaces(item, placesBelow(places, [String(index)]), conceal));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    replaceAtPlaces(member, placesBelow(places, [key]), conceal),
  ]);
  return Object.fromEntries(members) as JsonValue;
}
