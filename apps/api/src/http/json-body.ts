import type { IncomingMessage } from 'node:http';
import {
  DomainError,
  findInexactInteger,
  findUnsafeJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseExactJson,
} from '@app/kernel';
import { findJsonMistake } from '@app/definition/source';
import { readTextBody } from './request-body.js';

const TYPES = ['application/json'];
/** Maximum size of a JSON body in bytes. */
export const MAX_JSON = 1024 * 1024;

/** @throws DomainError the errors of {@link readTextBody} */
export async function readJsonText(request: IncomingMessage, limit: number): Promise<string> {
  return (await readTextBody(request, { types: TYPES, limit })).text;
}

/** Returns the JSON object in the body. An absent body counts as `{}`. @throws the errors of {@link parseJsonObject} */
export async function readOptionalJson(request: IncomingMessage): Promise<JsonObject> {
  const text = await readJsonText(request, MAX_JSON);
  return text.trim() === '' ? {} : parseJsonObject(text);
}

/**
 * Parses the text of a body. Rejects values that the service cannot store.
 * @throws DomainError `invalid_json` with the position, or `invalid_request` with a pointer
 */
export function parseJsonObject(text: string): JsonObject {
  const value = assertStorable(assertJsonObject(parse(text, (given) => JSON.parse(given) as JsonValue)));
  const inexact = findInexactInteger(text);
  if (inexact) throw new DomainError('invalid_request', inexact.detail, { errors: [inexact] });
  return value;
}

/**
 * Parses the text of a body that another service sends. Like {@link parseJsonObject}, but also accepts an array, and
 * returns integers beyond 2^53 as text, because the sender cannot change them.
 */
export function parseJsonBody(text: string): JsonObject | JsonValue[] {
  const value = parse(text, parseExactJson);
  return assertStorable(Array.isArray(value) ? value : assertJsonObject(value));
}

/** @throws DomainError `invalid_request` */
export function assertJsonObject(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new DomainError('invalid_request', `The body is ${kindOf(value)}. Send a JSON object.`);
}

/** @throws DomainError `invalid_request` with a pointer to a value that the service cannot store */
export function assertStorable<T extends JsonValue>(value: T): T {
  const unsafe = findUnsafeJson(value);
  if (unsafe) throw new DomainError('invalid_request', unsafe.detail, { errors: [unsafe] });
  return value;
}

function parse(text: string, parser: (text: string) => JsonValue): JsonValue {
  if (text.trim() === '') throw new DomainError('invalid_request', 'The body is empty. Send a JSON object.');
  try {
    return parser(text);
  } catch (cause) {
    const mistake = findJsonMistake(text);
    if (!mistake) throw new DomainError('invalid_json', 'The body is not valid JSON. Send a JSON object.', { cause });
    const { line, column, detail } = mistake;
    throw new DomainError('invalid_json', `Line ${line}, column ${column}: ${detail}`, {
      cause,
      errors: [{ pointer: '', ...mistake }],
    });
  }
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value}`;
}
