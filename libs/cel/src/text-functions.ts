import { spend, checkLength } from './cel-cost.js';
import { fail, type FunctionSpec } from './function-spec.js';
import { format } from './text-format.js';

const SURROGATE = /[\ud800-\udfff]/;

function unitsOf(text: string, position: bigint): number | undefined {
  if (position < 0n) fail('uses a negative position', 'out_of_bounds');
  if (position > BigInt(text.length)) return undefined;
  const points = Number(position);
  if (!SURROGATE.test(text)) return points;
  let units = 0;
  for (let seen = 0; seen < points; seen++) {
    const point = text.codePointAt(units);
    if (point === undefined) return undefined;
    units += point > 0xffff ? 2 : 1;
  }
  return units;
}

function pointsOf(text: string, units: number): bigint {
  if (units < 0 || !SURROGATE.test(text)) return BigInt(units);
  let points = 0;
  for (let at = 0; at < units; points++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return BigInt(points);
}

function charAt(text: string, position: bigint): string {
  const at = unitsOf(text, position) ?? fail('reads a character beyond the end of the string', 'out_of_bounds');
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function substring(text: string, from: bigint, to?: bigint): string {
  const beyond = (): never => fail('reads a part beyond the end of the string', 'out_of_bounds');
  const start = unitsOf(text, from) ?? beyond();
  if (to === undefined) return text.slice(start);
  const end = unitsOf(text, to) ?? beyond();
  if (end < start) fail('has an end before its start', 'out_of_bounds');
  return text.slice(start, end);
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const start = unitsOf(text, from);
  return start === undefined ? -1n : pointsOf(text, text.indexOf(part, start));
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const start = from === undefined ? text.length : unitsOf(text, from);
  return start === undefined ? -1n : pointsOf(text, text.lastIndexOf(part, start));
}

function replace(text: string, old: string, by: string, limit = -1n): string {
  if (limit === 0n) return text;
  const parts = old === '' ? aroundCharacters(text, limit) : pieces(text, old, limit < 0n ? limit : limit + 1n);
  checkLength(text.length + (parts.length - 1) * (by.length - old.length));
  return parts.join(by);
}

/**
 * Splits a text at the places where `replace` inserts text if the text to replace is empty: before each character and
 * at the end.
 */
function aroundCharacters(text: string, limit: bigint): string[] {
  const characters = Array.from(text);
  spend(characters.length);
  const most = limit < 0n ? Infinity : Number(limit);
  if (most > characters.length) return ['', ...characters, ''];
  return ['', ...characters.slice(0, most - 1), characters.slice(most - 1).join('')];
}

function split(text: string, separator: string, limit = -1n): string[] {
  return limit === 0n ? [] : pieces(text, separator, limit);
}

function pieces(text: string, separator: string, limit: bigint): string[] {
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  const most = limit < 0n ? parts.length : Number(limit);
  if (parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  return `"${Array.from(text.toWellFormed(), (char) => QUOTED[char] ?? char).join('')}"`;
}

function join(list: readonly unknown[], separator = ''): string {
  let length = 0;
  for (const item of list) {
    if (typeof item !== 'string') {
      fail('joins a list with an item that is not a string', 'type', 'Convert the items: `x.map(i, string(i))`.');
    }
    length += item.length + separator.length;
  }
  checkLength(length - separator.length);
  return list.join(separator);
}

const WHITE_SPACE = /^\p{White_Space}$/u;

/** Unlike `String.prototype.trim`, keeps U+FEFF and removes U+0085. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start++;
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

export const TEXT_FUNCTIONS: readonly FunctionSpec[] = [
  ['string.charAt(int): string', charAt],
  ['string.substring(int): string', substring],
  ['string.substring(int, int): string', substring],
  ['string.indexOf(string): int', (text: string, part: string): bigint => indexOf(text, part)],
  ['string.indexOf(string, int): int', indexOf],
  ['string.lastIndexOf(string): int', (text: string, part: string): bigint => lastIndexOf(text, part)],
  ['string.lastIndexOf(string, int): int', lastIndexOf],
  ['string.replace(string, string): string', replace],
  ['string.replace(string, string, int): string', replace],
  ['string.trim(): string', trimmed],
  [
    'string.lowerAscii(): string',
    (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ],
  [
    'string.upperAscii(): string',
    (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  ],
  ['string.reverse(): string', (text: string): string => Array.from(text).reverse().join('')],
  ['string.split(string): list<string>', split],
  ['string.split(string, int): list<string>', split],
  ['string.format(list): string', format],
  ['list.join(): string', join],
  ['list.join(string): string', join],
  ['strings.quote(string): string', quote],
];
