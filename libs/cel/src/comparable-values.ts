import { Optional } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { spend } from './cel-cost.js';
import { durationText } from './moments.js';
import { fail, isEngineMap, membersOf, uintOf } from './function-spec.js';

/**
 * Two values have the same text if, and only if, CEL regards them as equal. For example, a whole number and a double of
 * the same value are equal.
 */
export function valueKey(value: unknown): string {
  spend(1);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberKey(value);
  if (typeof value === 'bigint') return numberKey(value);
  if (value instanceof Date) return `timestamp ${value.getTime()}`;
  if (value instanceof Duration) return `duration ${durationText(value)}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (value instanceof Optional) return value.hasValue() ? `optional ${valueKey(value.value())}` : 'optional';
  if (Array.isArray(value)) return `[${value.map(valueKey).join(',')}]`;
  if (!isEngineMap(value)) return otherKey(value);
  const members = membersOf(value).map(([key, member]) => `${JSON.stringify(key)}:${valueKey(member)}`);
  return `{${members.sort().join(',')}}`;
}

function otherKey(value: unknown): string {
  const number = uintOf(value);
  if (number !== undefined) return numberKey(number);
  const name: unknown = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
  return `type ${typeof name === 'string' ? name : ''}`;
}

function numberKey(value: number | bigint): string {
  const number = Number(value);
  return typeof value === 'number' || BigInt(number) === value ? `#${number === 0 ? 0 : number}` : `#${value}`;
}

/** Values of different types are not equal, but numbers of any type may be. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return areEqualNumbers(left, right);
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => areEqual(item, right[index]));
  if (isEngineMap(left) && isEngineMap(right)) return areEqualMaps(membersOf(left), new Map(membersOf(right)));
  if (left instanceof Optional && right instanceof Optional)
    return left.hasValue() && right.hasValue()
      ? areEqual(left.value(), right.value())
      : left.hasValue() === right.hasValue();
  return valueKey(left) === valueKey(right);
}

function areEqualMaps(left: readonly [string, unknown][], right: ReadonlyMap<string, unknown>): boolean {
  return left.length === right.size && left.every(([name, item]) => right.has(name) && areEqual(item, right.get(name)));
}

/** Compares exactly: the largest int is not equal to 2^63 as a double. */
function areEqualNumbers(left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) => (typeof value === 'number' ? value : integerOf(value)));
  // oxlint-disable-next-line eqeqeq -- only `==` compares a bigint with a number
  return one !== undefined && other !== undefined && one == other;
}

function integerOf(value: unknown): bigint | undefined {
  return typeof value === 'bigint' ? value : uintOf(value);
}

function comparableType(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return typeof value;
  if (typeof value === 'boolean') return 'boolean';
  if (value instanceof Date) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  if (value instanceof Uint8Array) return 'bytes';
  return uintOf(value) === undefined ? undefined : 'uint';
}

/** Items with equal keys keep their order. All keys must have one comparable type. */
export function sorted<T>(items: readonly T[], keys: readonly unknown[]): T[] {
  const types = new Set(keys.map(comparableType));
  if (types.size > 1 || types.has(undefined)) {
    fail('sorts by values that are not all of one comparable type', 'type', HINT);
  }
  const order = items.map((_, index) => index);
  order.sort((a, b) => compare(keys[a], keys[b]) || a - b);
  return order.flatMap((index) => {
    const item = items[index];
    return item === undefined ? [] : [item];
  });
}

const HINT = 'Sort numbers, strings, true and false, timestamps or durations, without null.';

function compare(left: unknown, right: unknown): number {
  spend(1);
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  if (left instanceof Duration && right instanceof Duration) {
    return compareNumbers(left.seconds, right.seconds) || left.nanos - right.nanos;
  }
  return compareNumbers(comparableNumber(left), comparableNumber(right));
}

function comparableNumber(value: unknown): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof Date ? value.getTime() : (uintOf(value) ?? Number(value));
}

function compareNumbers(left: number | bigint, right: number | bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Compares by code point. The order of UTF-16 units differs for characters beyond U+FFFF. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a === b) continue;
    spend(at >> 6);
    return rank(a) - rank(b);
  }
  spend(length >> 6);
  return left.length - right.length;
}

/** Ranks surrogates after all other UTF-16 units, because a surrogate pair is a character beyond U+FFFF. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
