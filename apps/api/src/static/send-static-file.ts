import type { Request, Response } from 'express';
import { acceptedEncoding } from '../http/compressed-body.js';
import type { StaticFile } from './static-files.js';

/** Cache-Control for files whose name contains a hash of their content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Sends the smallest form of the file that the client accepts, or 304 if the client already has the file. */
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
  const encoding = acceptedEncoding(request);
  const compressed = encoding && file[encoding];
  if (compressed) response.set('Content-Encoding', encoding);
  const bytes = compressed ?? file.bytes;
  response.set('Content-Length', String(bytes.length));
  response.end(bytes);
}

/**
 * Headers of the pages of the console and the guides. Scripts come only from this server. Trusted Types prevent scripts
 * from inserting plain strings as HTML. The nonce permits the style elements that the component library of the console
 * adds, and only the console shows images of files, as `blob:`. `stopOrigin` is the origin of the stop listener, which the console may call.
 */
export function pageHeaders(nonce?: string, stopOrigin = ''): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    nonce === undefined ? "img-src 'self' data:" : "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ${stopOrigin}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  };
}
