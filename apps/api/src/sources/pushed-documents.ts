import type { IncomingMessage } from 'node:http';
import { ApiBody, ApiConsumes, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { assertReadable, type FileRightsService, type FilesService } from '@app/files';
import { byteText, DomainError, parameterPlace } from '@app/kernel';
import type { ClaimOfDocument } from '@app/knowledge';
import { READABLE_TYPES } from '@app/platform/extraction';
import type { Principal } from '@app/workspace';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { parseJsonObject, readJsonText } from '../http/json-body.js';
import { multipartFiles } from '../http/multipart-body.js';
import { parseMediaType, streamedBody, tooLarge } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { validateRequest } from '../http/request-validation.js';
import { SCHEMA_NAME } from '../openapi/schema-names.js';
import { JSON_BODY_PROBLEMS, LIMIT_WORDS, REPEATABLE, type RouteInput } from '../http/route-inputs.js';
import { type DocumentNameQuery, PushFileBody, PushTextBody } from './sources.api.js';

export interface PushedBody {
  name: string;
  title?: string;
  contentType: string;
  content: AsyncIterable<Buffer>;
}

const MAX_FILES = 100;

const FILE = { type: 'string', format: 'binary', example: '# Refunds\n\nWithin 30 days.' };

const FORM = {
  [SCHEMA_NAME]: 'PushFilesBody',
  type: 'object',
  description: 'Documents as files.',
  required: ['file'],
  properties: {
    file: { type: 'array', description: `At most ${MAX_FILES} files, in parts of any name.`, items: FILE },
  },
};

/** The handler reads the documents in the body one by one, as they arrive. */
export const DOCUMENT_BODY: RouteInput = {
  repeatable: true,
  parts: [
    ...(REPEATABLE.parts ?? []),
    ApiExtraModels(PushFileBody),
    ApiConsumes('application/json', 'multipart/form-data', ...READABLE_TYPES),
    ApiBody({
      required: true,
      description: `The body has one of four forms: the bytes of the document, with its name in the query; a JSON object with the text of the document, or with the id of a file of the workspace; or a multipart form with up to 100 files, whose file names become the names of the documents. Each document has at most ${LIMIT_WORDS.upload}.`,
      type: PushTextBody,
    }),
  ],
  bodies: {
    'application/json': { oneOf: [PushTextBody, PushFileBody].map((type) => ({ $ref: getSchemaPath(type) })) },
    'multipart/form-data': FORM,
    ...Object.fromEntries(READABLE_TYPES.map((type) => [type, FILE])),
  },
  problems: [...JSON_BODY_PROBLEMS, 'unknown_reference', 'file_missing', 'file_too_large'],
};

/**
 * Returns the idempotency claims of a request that pushes documents. Each document has its own claim, so that a
 * repeated request continues where the first one was interrupted.
 */
export function documentClaims(request: ApiRequest): ClaimOfDocument {
  const key = readIdempotencyKey(request);
  return (position, fingerprint) =>
    key === undefined ? undefined : { endpoint: `POST ${request.path} ${position}`, key, fingerprint };
}

/** Returns a file that the caller may use, as a document. */
type FileReader = (body: PushFileBody) => Promise<PushedBody>;

/**
 * @returns a reader that throws DomainError `unknown_reference`, `unsupported_media_type`, `file_too_large`,
 * `file_missing` or `unavailable`
 */
export function fileReader(
  files: FilesService,
  rights: FileRightsService,
  actor: Principal,
  maxBytes: number,
): FileReader {
  return async ({ file: id, name, title }) => {
    const file = await rights.getUsable(actor, id, '/file');
    assertReadable(file);
    if (file.bytes > maxBytes) throw fileTooLarge(maxBytes);
    const content = await files.open(file, { first: 0, last: file.bytes - 1 });
    const { filename, contentType } = file;
    return { name: name ?? filename, ...(title !== undefined && { title }), contentType, content };
  };
}

/**
 * Yields the documents in the body as they arrive. The body is a form with files, the bytes of one document whose name
 * is in the query, or a JSON object with a text or a file.
 * @param maxBytes limit for a file, or for a body that is not a form
 * @throws DomainError the errors of `readFile`, `invalid_request`, `invalid_json`, `payload_too_large`, `unsupported_media_type`
 */
export async function* readPushed(
  request: IncomingMessage,
  query: DocumentNameQuery,
  maxBytes: number,
  readFile: FileReader,
): AsyncGenerator<PushedBody> {
  for await (const document of documentsIn(request, query, maxBytes, readFile))
    yield { ...document, content: limited(document, maxBytes) };
}

async function* documentsIn(
  request: IncomingMessage,
  query: DocumentNameQuery,
  maxBytes: number,
  readFile: FileReader,
): AsyncGenerator<PushedBody> {
  const essence = parseMediaType(request.headers['content-type'])?.essence;
  if (essence === 'multipart/form-data') yield* multipartFiles(request, { files: MAX_FILES });
  else if (essence === 'application/json') yield await readPushedJson(request, maxBytes, readFile);
  else yield readPushedBytes(request, query, maxBytes);
}

async function* limited({ name, content }: PushedBody, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit, `document ${JSON.stringify(name)}`);
    yield chunk;
  }
}

function readPushedBytes(request: IncomingMessage, query: DocumentNameQuery, maxBytes: number): PushedBody {
  const contentType = request.headers['content-type'] ?? '';
  const name = documentName(query);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const content = notEmpty(streamedBody(request));
  return { name, ...(query.title !== undefined && { title: query.title }), contentType, content };
}

async function* notEmpty(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const chunk of bytes) {
    isEmpty &&= chunk.length === 0;
    yield chunk;
  }
  if (isEmpty) throw new DomainError('invalid_request', 'The body is empty. Send the document in the body.');
}

/** @throws DomainError `invalid_request` if the query has no name */
export function documentName({ name }: DocumentNameQuery): string {
  if (name !== undefined) return name;
  const detail =
    'The query parameter `name` is missing. Add the name of the document, for example `?name=handbook/refunds.md`.';
  throw new DomainError('invalid_request', detail, { errors: [parameterPlace('name', detail)] });
}

async function readPushedJson(request: IncomingMessage, maxBytes: number, readFile: FileReader): Promise<PushedBody> {
  const given = parseJsonObject(await readJsonText(request, maxBytes));
  if ('file' in given) return readFile(validateRequest(PushFileBody, given, 'body'));
  const { name, title, content_type, text } = validateRequest(PushTextBody, given, 'body');
  const contentType = `${content_type}; charset=utf-8`;
  return { name, ...(title !== undefined && { title }), contentType, content: once(Buffer.from(text)) };
}

function fileTooLarge(limit: number): DomainError {
  const detail = `The file is larger than ${byteText(limit)}, so it cannot become a document.`;
  return new DomainError('file_too_large', detail, { extensions: { limit_bytes: limit } });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
