import type { Request, Response } from 'express';
import type { StaticFile } from './static-files.js';

/** For files whose name changes with their content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Sends a file in the smallest form that the client accepts, or 304 if the client has it already. */
export function sendStaticFile(request: Request, response: Response, file: StaticFile, cacheControl: string): void {
  response.set({
    'Content-Type': file.type,
    'Cache-Control': cacheControl,
    'X-Content-Type-Options': 'nosniff',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  const { bytes, encoding } = smallestAccepted(request, file);
  response.set('Content-Length', String(bytes.length));
  if (encoding !== undefined) response.set('Content-Encoding', encoding);
  response.end(bytes);
}

/** The encodings are checked one by one, because browsers list gzip first although brotli is smaller. */
function smallestAccepted(request: Request, file: StaticFile): { bytes: Buffer; encoding?: string } {
  if (file.br && request.acceptsEncodings('br') === 'br') return { bytes: file.br, encoding: 'br' };
  if (file.gzip && request.acceptsEncodings('gzip') === 'gzip') return { bytes: file.gzip, encoding: 'gzip' };
  return { bytes: file.bytes };
}
