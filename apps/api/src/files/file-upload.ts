import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { FileUploadsService, IncomingContent } from '@app/files';
import { allowLongBody } from '../http/http-server-limits.js';
import { idempotencyClaim, readIdempotencyKey } from '../http/idempotency-key.js';
import { singleFile } from '../http/multipart-body.js';
import { assertPlain, parseMediaType, streamedBody } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { LIMIT_WORDS, REPEATABLE, type RouteInput } from '../http/route-inputs.js';
import { SCHEMA_NAME } from '../openapi/schema-names.js';
import { lifetimeOf, type UploadFileQuery } from './files.api.js';

const FORM_TYPE = 'multipart/form-data';
/** A form may be larger than its file by its boundaries and headers. */
const MAX_FORM_OVERHEAD = 64 * 1024;

const BYTES = { type: 'string', format: 'binary', example: '%PDF-1.7 …' };

const FORM = {
  [SCHEMA_NAME]: 'UploadFileForm',
  type: 'object',
  description: 'A form with one file.',
  required: ['file'],
  properties: { file: { ...BYTES, description: 'The file. Its name and type count.' } },
};

export const FILE_BODY: RouteInput = {
  repeatable: true,
  parts: [
    ...(REPEATABLE.parts ?? []),
    ApiConsumes('application/octet-stream', FORM_TYPE),
    ApiBody({
      required: true,
      description: `The bytes of the file with any media type, or a form with the part \`file\`. At most ${LIMIT_WORDS.file}.`,
      schema: BYTES,
    }),
  ],
  bodies: { [FORM_TYPE]: FORM },
  problems: ['file_too_large', 'file_quota_exceeded', 'file_refused', 'rate_limited', 'unsupported_media_type'],
};

/** Returns the arguments of {@link FileUploadsService.upload} for the body of a request. */
export function uploadOf(
  request: ApiRequest,
  query: UploadFileQuery,
): Parameters<FileUploadsService['upload']> extends [unknown, ...infer Rest] ? Rest : never {
  const key = readIdempotencyKey(request);
  const lifetimeMillis = lifetimeOf(query);
  const isForm = parseMediaType(request.headers['content-type'])?.essence === FORM_TYPE;
  const announced = Number(request.headers['content-length'] ?? 0);
  return [
    { bytes: Math.max(0, announced - (isForm ? MAX_FORM_OVERHEAD : 0)), lifetimeMillis },
    () => receive(request, query, isForm),
    ({ sha256, filename, declaredContentType }) =>
      idempotencyClaim(`POST ${request.path}`, key, {
        sha256,
        filename,
        content_type: declaredContentType,
        expires_in: query.expires_in ?? null,
      }),
  ];
}

async function receive(request: ApiRequest, { filename }: UploadFileQuery, isForm: boolean): Promise<IncomingContent> {
  assertPlain(request);
  allowLongBody(request);
  if (!isForm) {
    const contentType = request.headers['content-type'];
    return { source: streamedBody(request), filename: filename ?? '', contentType };
  }
  const content = await singleFile(request);
  return { ...content, filename: filename ?? content.filename };
}
