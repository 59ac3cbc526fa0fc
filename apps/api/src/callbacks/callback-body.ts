import type { IncomingMessage } from 'node:http';
import { DomainError, type JsonObject } from '@app/kernel';
import { parseObjectBody } from '../http/form-body.js';
import { readBytes } from '../http/request-body.js';

/**
 * Reads a JSON object, or a form as an object of texts and files.
 * @param limit maximum size of the body in bytes
 * @throws DomainError `invalid_json`, `payload_too_large`, or `invalid_request`. A body of another media type also gets
 * `invalid_request`.
 */
export async function readCallbackBody(request: IncomingMessage, limit: number): Promise<JsonObject> {
  try {
    return await parseObjectBody(request, await readBytes(request, limit), limit);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unsupported_media_type') throw error;
    throw new DomainError('invalid_request', error.message, { cause: error });
  }
}
