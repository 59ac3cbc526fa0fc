import type { IncomingMessage } from 'node:http';
import { DomainError, findUnsafeJson, type JsonObject } from '@app/kernel';
import { parseJsonObject } from '../http/json-body.js';
import { readTextBody } from '../http/request-body.js';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads the body of a callback: a JSON object, or a form as an object of texts. `limit` is its maximum size in bytes.
 * @throws DomainError `invalid_request`, `invalid_json`, `payload_too_large`
 */
export async function readCallbackBody(request: IncomingMessage, limit: number): Promise<JsonObject> {
  const { text, type } = await textOf(request, limit);
  return type === FORM ? formOf(text) : parseJsonObject(text);
}

async function textOf(request: IncomingMessage, limit: number): Promise<{ text: string; type?: string }> {
  try {
    return await readTextBody(request, { types: ['application/json', FORM], limit });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unsupported_media_type') throw error;
    throw new DomainError('invalid_request', error.message, { cause: error });
  }
}

/** Repeated names become lists. */
function formOf(text: string): JsonObject {
  const fields = new URLSearchParams(text);
  const form = Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const values = fields.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
  const unsafe = findUnsafeJson(form);
  if (unsafe) throw new DomainError('invalid_request', unsafe.detail, { errors: [unsafe] });
  return form;
}
