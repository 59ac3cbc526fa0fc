import type { IncomingMessage } from 'node:http';
import { DomainError, type JsonObject } from '@app/kernel';
import { LARGEST_UPLOAD } from '@app/knowledge';
import type { IdempotencyClaim } from '@app/workspace';
import { idempotencyClaim } from '../http/idempotency-key.js';
import { parseJsonObject } from '../http/json-body.js';
import { parseMediaType } from '../http/media-type.js';
import { multipartFiles } from '../http/multipart-body.js';
import { readBytes, readTextBody } from '../http/request-body.js';
import { validateRequest } from '../http/request-validation.js';
import { type CreateSourceBody, type DocumentNameQuery, PushTextBody } from './source.dto.js';

/** A document as a request brings it. */
export interface PushedBody {
  name: string;
  title?: string;
  contentType: string;
  content: Buffer;
}

const FORM_LIMITS = { fileBytes: LARGEST_UPLOAD, files: 100 };
const JSON_RULES = { types: ['application/json'], limit: LARGEST_UPLOAD };

export function sourceClaim(
  knowledgeBaseId: string,
  { connector, config, schedule }: CreateSourceBody,
  key: string | undefined,
): IdempotencyClaim | undefined {
  const said: JsonObject = { connector, config, ...(schedule !== undefined && { schedule }) };
  return idempotencyClaim(`POST /v1/knowledge-bases/${knowledgeBaseId}/sources`, key, said);
}

/**
 * The documents in the body, one after the other as they arrive: the files of a form; bytes as they are, with their name in the query;
 * or a text in a JSON object.
 * @throws DomainError `invalid_request`, `invalid_json`, `payload_too_large`, `unsupported_media_type`
 */
export async function* readPushed(request: IncomingMessage, query: DocumentNameQuery): AsyncGenerator<PushedBody> {
  const essence = parseMediaType(request.headers['content-type'])?.essence;
  if (essence === 'multipart/form-data') yield* multipartFiles(request, FORM_LIMITS);
  else yield essence === 'application/json' ? await readPushedText(request) : await readPushedBytes(request, query);
}

async function readPushedBytes(request: IncomingMessage, query: DocumentNameQuery): Promise<PushedBody> {
  const contentType = request.headers['content-type'] ?? '';
  const content = await readBytes(request, LARGEST_UPLOAD);
  const name = documentName(query);
  if (content.length === 0) throw new DomainError('invalid_request', 'The body is empty. The document is needed.');
  return { name, ...(query.title !== undefined && { title: query.title }), contentType, content };
}

/** @throws DomainError `invalid_request` where the request does not say it */
export function documentName({ name }: DocumentNameQuery): string {
  if (name !== undefined) return name;
  const detail = 'name is missing: say in the query what the document is called.';
  throw new DomainError('invalid_request', detail, { errors: [{ pointer: 'name', detail }] });
}

async function readPushedText(request: IncomingMessage): Promise<PushedBody> {
  const given = parseJsonObject((await readTextBody(request, JSON_RULES)).text);
  const { name, title, content_type, text } = validateRequest(PushTextBody, given, 'body');
  const contentType = `${content_type}; charset=utf-8`;
  return { name, ...(title !== undefined && { title }), contentType, content: Buffer.from(text) };
}
