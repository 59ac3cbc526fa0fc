import { isJsonObject, type JsonValue, MAX_JSON_DEPTH, storableText } from '@app/kernel';
import { spend, spendCharacters } from './cel-cost.js';

/** Why a result cannot be written as JSON. */
export class NotJson extends Error {}

const MAX_RESULT_CHARACTERS = 4 * 1024 * 1024;
/** The least that a number takes, with its comma. */
const SCALAR_CHARACTERS = 2;
/** A list or an object takes more memory than its brackets say. */
const CONTAINER_CHARACTERS = 8;
/** What was sent fits, inside of an object or two that an expression makes around it. */
const MAX_RESULT_DEPTH = MAX_JSON_DEPTH + 16;

/**
 * The JSON of an expression's result: whole numbers become numbers, timestamps RFC 3339 text, half of a surrogate pair
 * (what `substring` leaves of an emoji) and NUL U+FFFD, as in what tools answer. Containers are copied, so that no
 * caller changes the run's data through a result. Spends from the evaluation's budget.
 */
export function toJson(result: unknown): JsonValue {
  const budget = { characters: MAX_RESULT_CHARACTERS };
  const value = convert(result, budget, 0);
  spendCharacters(MAX_RESULT_CHARACTERS - budget.characters);
  return value;
}

function convert(value: unknown, budget: { characters: number }, depth: number): JsonValue {
  if (typeof value === 'string') {
    spendFrom(budget, value.length);
    return storableText(value);
  }
  if (typeof value === 'number') {
    spendFrom(budget, SCALAR_CHARACTERS);
    if (Number.isFinite(value)) return value;
    throw new NotJson('The result is not a finite number, which JSON cannot hold: check for a division by zero.');
  }
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'bigint') return wholeNumber(value);
  if (value instanceof Date) return value.toISOString();
  if (depth >= MAX_RESULT_DEPTH) throw new NotJson(`The result is nested deeper than ${MAX_RESULT_DEPTH} levels.`);
  spend(1);
  spendFrom(budget, CONTAINER_CHARACTERS);
  if (Array.isArray(value)) return value.map((item) => convert(item, budget, depth + 1));
  if (value instanceof Map) return convertObject(Object.fromEntries<unknown>(value), budget, depth);
  if (isPlainObject(value)) return convertObject(value, budget, depth);
  throw new NotJson(notJsonReason(value));
}

function spendFrom(budget: { characters: number }, characters: number): void {
  budget.characters -= characters;
  if (budget.characters < 0) throw new NotJson('The result is too large.');
}

function convertObject(value: Record<string, unknown>, budget: { characters: number }, depth: number): JsonValue {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      budget.characters -= key.length;
      return [storableText(key), convert(member, budget, depth + 1)];
    }),
  );
}

function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new NotJson('The result is a whole number beyond 2^53, which JSON readers cannot hold: use string(…).');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notJsonReason(value: unknown): string {
  if (value instanceof Uint8Array) return 'The result is bytes, which JSON cannot hold: use .base64() or .string().';
  const number = typeof value === 'object' && value !== null ? value.valueOf() : value;
  if (typeof number === 'bigint') return 'The result is an unsigned number, which JSON cannot hold: use double(…).';
  return 'The result is a type or a duration, which JSON cannot hold: use string(…) or .getSeconds().';
}
