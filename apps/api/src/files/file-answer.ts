import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { FileEntity, FilesService } from '@app/files';
import { DomainError } from '@app/kernel';
import type { ApiRequest } from '../http/request-context.js';
import { type SentRange, sentRange } from './byte-range.js';

/** Types that a browser shows without running anything. Other types are sent as bytes without a type. */
const HARMLESS_TYPES: readonly string[] = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/plain',
  'text/csv',
  'application/json',
];
const OTHER_TYPE = 'application/octet-stream';

/** Describes the bytes of a file for the OpenAPI document. */
export const FILE_CONTENT = Object.fromEntries(
  [OTHER_TYPE, ...HARMLESS_TYPES].map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
);

export interface SentBy {
  /** The file was opened by a link, whose address must not be stored or passed on. */
  isLink?: boolean;
  /** Sends the whole file, whatever the client asks for. */
  isWhole?: boolean;
}

/**
 * Sends the bytes of a file that is ready: all of them, one range, none for `HEAD`, or 304 if the client has them.
 * @throws DomainError `file_missing`, `range_not_satisfiable`, `unavailable`, all before the first byte. If a later part
 * of the file cannot be read, the connection is closed, so that the client notices it.
 */
export async function sendFile(
  request: ApiRequest,
  response: Response,
  files: FilesService,
  file: FileEntity,
  { isLink = false, isWhole = false }: SentBy = {},
): Promise<void> {
  const etag = `"${file.sha256}"`;
  const isHead = request.method === 'HEAD';
  response.set(fileHeaders(file, etag));
  if (isLink) response.set({ 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer' });
  if (!isWhole && isKnown(request.headers['if-none-match'], etag)) {
    response.status(304).end();
    return;
  }
  const asked = isHead || isWhole ? {} : request.headers;
  const range = rangeOf(asked, response, file, etag);
  const content = await files.open(file, range);
  response.status(range.isPartial ? 206 : 200);
  response.set({
    'Content-Type': HARMLESS_TYPES.includes(file.contentType) ? file.contentType : OTHER_TYPE,
    'Content-Length': String(range.last - range.first + 1),
    ...(range.isPartial && { 'Content-Range': `bytes ${range.first}-${range.last}/${file.bytes}` }),
  });
  if (isHead) {
    await content[Symbol.asyncIterator]().return?.();
    response.end();
    return;
  }
  await pipeline(Readable.from(content, { objectMode: false }), response).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

type RangeHeaders = Parameters<typeof sentRange>[0];

function rangeOf(headers: RangeHeaders, response: Response, { bytes }: FileEntity, etag: string): SentRange {
  try {
    return sentRange(headers, bytes, etag);
  } catch (error) {
    if (error instanceof DomainError) response.setHeader('Content-Range', `bytes */${bytes}`);
    throw error;
  }
}

function fileHeaders({ filename }: FileEntity, etag: string): Record<string, string> {
  return {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    'Content-Disposition': contentDisposition(filename),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

/** Returns the header with the name in ASCII and in UTF-8 (RFC 6266, RFC 8187). */
export function contentDisposition(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Whether the client has this version (`If-None-Match`). */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}
