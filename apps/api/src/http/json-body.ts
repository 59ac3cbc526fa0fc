import type { IncomingMessage } from 'node:http';
import { DomainError, findUnsafeJson, isJsonObject, type JsonObject } from '@app/kernel';
import { findJsonSyntaxError } from './json-syntax.js';
import { readTextBody } from './request-body.js';

const TYPES = ['application/json'];

/** @throws DomainError the errors of {@link readTextBody} */
export async function readJsonText(request: IncomingMessage, limit: number): Promise<string> {
  return (await readTextBody(request, { types: TYPES, limit })).text;
}

/**
 * Parses the text of a body. Rejects values that the service cannot store.
 * @throws DomainError `invalid_json` with the position, or `invalid_request` with a pointer
 */
export function parseJsonObject(text: string): JsonObject {
  if (text.trim() === '') throw new DomainError('invalid_request', 'The body is empty. Send a JSON object.');
  const value = parse(text);
  if (!isJsonObject(value))
    throw new DomainError('invalid_request', `The body is ${kindOf(value)}. Send a JSON object.`);
  const unsafe = findUnsafeJson(value);
  if (unsafe) throw new DomainError('invalid_request', unsafe.detail, { errors: [unsafe] });
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = findJsonSyntaxError(text);
    if (!place) throw new DomainError('invalid_json', 'The body is not valid JSON. Send a JSON object.', { cause });
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
