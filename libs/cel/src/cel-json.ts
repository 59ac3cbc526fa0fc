import { Optional } from '@marcbachmann/cel-js';
import { isJsonObject, type JsonValue, MAX_JSON_DEPTH, storableText } from '@app/kernel';
import { spend, spendCharacters, MAX_VALUE_BYTES, ValueTooLarge } from './cel-cost.js';

/** Thrown for a result that cannot be written as JSON. The message says why. */
export class NotJson extends Error {}

const SCALAR_BYTES = 2;
/** It takes more memory than its two brackets suggest. */
const CONTAINER_BYTES = 8;
/**
 * Maximum nesting of a result. It exceeds the maximum nesting of data, because an expression may wrap data in a few
 * objects or lists.
 */
const MAX_RESULT_DEPTH = MAX_JSON_DEPTH + 16;

/**
 * NUL characters and unpaired surrogates (which `substring` can leave of an emoji) become U+FFFD, as in responses of
 * tools. Containers are copied, so that no caller changes the data of the run through a result. Counts its work against
 * the budget of the evaluation.
 */
export function toJson(result: unknown): JsonValue {
  const budget = { bytes: MAX_VALUE_BYTES };
  const value = convert(result, budget, 0);
  spendCharacters(MAX_VALUE_BYTES - budget.bytes);
  return value;
}

export function jsonText(value: unknown): string {
  const text = JSON.stringify(convert(value, { bytes: MAX_VALUE_BYTES }, 0));
  spend(text.length >> 6);
  return text;
}

function convert(value: unknown, budget: { bytes: number }, depth: number): JsonValue {
  if (typeof value === 'string') {
    spendFrom(budget, Buffer.byteLength(value));
    return storableText(value);
  }
  if (typeof value === 'number') {
    spendFrom(budget, SCALAR_BYTES);
    if (Number.isFinite(value)) return value;
    throw new NotJson('The result is not a finite number, which JSON cannot represent. Check for a division by zero.');
  }
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'bigint') return wholeNumber(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Optional) return value.hasValue() ? convert(value.value(), budget, depth) : null;
  if (depth >= MAX_RESULT_DEPTH) throw new NotJson(`The result is nested deeper than ${MAX_RESULT_DEPTH} levels.`);
  spend(1);
  spendFrom(budget, CONTAINER_BYTES);
  if (Array.isArray(value)) return value.map((item) => convert(item, budget, depth + 1));
  if (value instanceof Map) return convertObject(Object.fromEntries<unknown>(value), budget, depth);
  if (isPlainObject(value)) return convertObject(value, budget, depth);
  throw new NotJson(notJsonReason(value));
}

function spendFrom(budget: { bytes: number }, bytes: number): void {
  budget.bytes -= bytes;
  if (budget.bytes < 0) throw new ValueTooLarge();
}

function convertObject(value: Record<string, unknown>, budget: { bytes: number }, depth: number): JsonValue {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      budget.bytes -= key.length;
      return [storableText(key), convert(member, budget, depth + 1)];
    }),
  );
}

function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new NotJson(
    'The result is a whole number beyond 2^53, which JSON cannot represent exactly. Convert it with string(…).',
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function notJsonReason(value: unknown): string {
  if (value instanceof Uint8Array)
    return 'The result is bytes, which JSON cannot represent. Convert it with .base64() or .string().';
  const number = typeof value === 'object' && value !== null ? value.valueOf() : value;
  if (typeof number === 'bigint')
    return 'The result is an unsigned number, which JSON cannot represent. Convert it with double(…).';
  return 'The result is a type or a duration, which JSON cannot represent. Convert it with string(…) or .getSeconds().';
}

export const NESTED_TOO_DEEP = `decodes data that is nested deeper than ${MAX_JSON_DEPTH} levels`;

export function findUnsafeNesting(text: string): string | undefined {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isText) {
      if (char === BACKSLASH) at++;
      else if (char === QUOTE) isText = false;
    } else if (char === QUOTE) isText = true;
    else if (char === OPEN_LIST || char === OPEN_OBJECT) depth++;
    else if (char === CLOSE_LIST || char === CLOSE_OBJECT) depth--;
    if (depth > MAX_JSON_DEPTH) return NESTED_TOO_DEEP;
  }
  return undefined;
}

const [BACKSLASH, QUOTE] = [0x5c, 0x22];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
