import { isJsonObject, jsonPointer, type JsonValue } from './json.js';

/** Texts without such a number are parsed by the engine alone. */
const LONG_NUMBER = /\d{16}/;
const LONG_INTEGER = /(?<![\d.eE+-]|[eE]-)-?\d{16,}(?![\d.eE])/g;

/**
 * Returns an integer beyond 2^53 as text, because a number could not hold it exactly and would silently be another
 * number.
 */
export function parseExactJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return LONG_NUMBER.test(text) ? (JSON.parse(exactJsonText(text)) as JsonValue) : value;
}

/**
 * Returns the place of the first integer in valid JSON whose number has another value. An integer that JavaScript
 * writes itself, such as `100000000000000000000` for 1e20, has the same value.
 */
export function findInexactInteger(text: string): { pointer: string; detail: string } | undefined {
  if (!LONG_NUMBER.test(text)) return undefined;
  const found = inexactPlace(JSON.parse(text) as JsonValue, JSON.parse(exactJsonText(text)) as JsonValue);
  if (!found) return undefined;
  const detail = `The integer ${found.digits} is beyond 2^53, so it would become ${found.number}. Send it as a string.`;
  return { pointer: jsonPointer(found.path.reverse()), detail };
}

export function isInexact(digits: string, value: number): boolean {
  return !Number.isSafeInteger(value) && BigInt(value).toString() !== digits && String(value) !== digits;
}

/** `path` is in reverse order, because each level of the recursion appends its key. */
function inexactPlace(
  value: JsonValue,
  exact: JsonValue,
): { path: (string | number)[]; digits: string; number: number } | undefined {
  if (typeof value === 'number')
    return typeof exact === 'string' && isInexact(exact, value)
      ? { path: [], digits: exact, number: value }
      : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, member] of members) {
    const twin = isJsonObject(exact) ? exact[key] : (exact as JsonValue[])[Number(key)];
    const found = inexactPlace(member, twin ?? null);
    if (found) return { ...found, path: [...found.path, key] };
  }
  return undefined;
}

/**
 * Puts the integers beyond 2^53 in quotes, for a library that parses the JSON itself. Only numbers outside of strings
 * change. The text may be one line of a longer JSON text, because a string contains no line break.
 */
export function exactJsonText(text: string): string {
  if (!LONG_NUMBER.test(text)) return text;
  const quoted = (part: string): string =>
    part.replace(LONG_INTEGER, (digits) => (Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`));
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const start = text.indexOf('"', at);
    if (start < 0) return parts.join('') + quoted(text.slice(at));
    const end = endOfString(text, start);
    parts.push(quoted(text.slice(at, start)), text.slice(start, end));
    at = end;
  }
  return parts.join('');
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let first = quote;
    while (text.charAt(first - 1) === '\\') first--;
    if ((quote - first) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
