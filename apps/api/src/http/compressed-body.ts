import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Smaller bodies fit into one packet, so that compression saves no time. */
const MIN_BYTES = 1_024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|yaml)\b)/;

// At these levels, both encodings need about 15 ms of a thread for each MB. Higher levels save a few percent.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const GZIP = { level: 4 };

const COMPRESSORS = {
  br: (body: string | Buffer) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: string | Buffer) => promisify(gzip)(body, GZIP),
};

/**
 * Returns the compressed body and sets the headers for it. Returns undefined if the body is small or not a text, or if
 * the client accepts no compression. A response with a strong `ETag` is never compressed, because the tag names its
 * bytes (RFC 9110, section 8.8.3) and clients send it as `If-Match`.
 */
export function compressedBody(response: Response, body: unknown): Promise<Buffer> | undefined {
  if (!(typeof body === 'string' || Buffer.isBuffer(body)) || body.length <= MIN_BYTES) return undefined;
  const type = response.get('Content-Type') ?? 'text/html';
  const etag = response.get('ETag');
  if (!COMPRESSIBLE.test(type) || (etag !== undefined && !etag.startsWith('W/'))) return undefined;
  response.vary('Accept-Encoding');
  if (response.req.fresh) return undefined;
  const encoding = acceptedEncoding(response.req);
  if (encoding === undefined) return undefined;
  response.setHeader('Content-Encoding', encoding);
  // Express adds the character set to strings only.
  if (typeof body === 'string' && !type.includes('charset=')) response.type(`${type}; charset=utf-8`);
  return COMPRESSORS[encoding](body);
}

/**
 * Checks first whether the client accepts brotli, then gzip. A single check of both encodings would select gzip,
 * because browsers list gzip first. Brotli bodies are smaller.
 */
export function acceptedEncoding(request: Request): 'br' | 'gzip' | undefined {
  if (request.acceptsEncodings('br') === 'br') return 'br';
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : undefined;
}
