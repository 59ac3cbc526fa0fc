import type { IncomingMessage } from 'node:http';
import { DomainError, findUnsafeJson, isJsonObject, type JsonObject } from '@app/kernel';
import { findJsonSyntaxError } from './json-syntax.js';
import { readTextBody } from './request-body.js';

const TYPES = ['application/json'];

/** The text of a body of JSON, of at most `limit` bytes; what {@link readTextBody} throws. */
export async function readJsonText(request: IncomingMessage, limit: number): Promise<string> {
  return (await readTextBody(request, { types: TYPES, limit })).text;
}

/**
 * A JSON object from the text of a body, free of what the service refuses to carry.
 * @throws DomainError `invalid_json` with the position, or `invalid_request` with a pointer
 */
export function parseJsonObject(text: string): JsonObject {
  if (text.trim() === '') throw new DomainError('invalid_request', 'The body is empty. A JSON object is needed.');
  const value = parse(text);
  if (!isJsonObject(value))
    throw new DomainError('invalid_request', `The body is ${kindOf(value)}. A JSON object is needed.`);
  const unsafe = findUnsafeJson(value);
  if (unsafe) throw new DomainError('invalid_request', unsafe.detail, { errors: [unsafe] });
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = findJsonSyntaxError(text);
    if (!place) throw new DomainError('invalid_json', 'The body cannot be read as JSON.', { cause });
    const { line, column, detail } = place;
    throw new DomainError('invalid_json', `Line ${line}, column ${column}: ${detail}`, {
      cause,
      errors: [{ pointer: '', detail, line, column }],
    });
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value}`;
}
