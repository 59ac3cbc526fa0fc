import { randomBytes } from 'node:crypto';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { consolePolicy } from './content-policy.js';
import { type ConsoleFile, type ConsoleFiles, readConsoleFiles } from './console-files.js';

const HOME = '/console/';
const ASSETS = '/console/assets/';

/**
 * Serves the built console below `/console/`. It is not part of the API and not in the OpenAPI document. Returns false
 * if the console was not built.
 */
export function serveConsole(app: NestExpressApplication, files = readConsoleFiles()): boolean {
  if (files === undefined) return false;
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') next();
    else if (request.path === '/' && acceptsPage(request)) response.redirect(302, HOME);
    else if (request.path === '/console') response.redirect(302, HOME);
    else if (request.path.startsWith(ASSETS)) sendAsset(request, response, next, files);
    else if (request.path.startsWith(HOME)) sendShell(response, files);
    else next();
  });
  return true;
}

function acceptsPage(request: Request): boolean {
  return request.headers.accept?.includes('text/html') === true;
}

/** Every path returns the same page, which shows the screen for its address. */
function sendShell(response: Response, { shell }: ConsoleFiles): void {
  const nonce = randomBytes(16).toString('base64url');
  const page = Buffer.from(shell.join(nonce));
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(page.length),
    'Content-Security-Policy': consolePolicy(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cache-Control': 'no-store',
  });
  response.end(page);
}

function sendAsset(request: Request, response: Response, next: NextFunction, { assets }: ConsoleFiles): void {
  const file = assets.get(request.path.slice(ASSETS.length));
  if (file === undefined) {
    next();
    return;
  }
  const { bytes, encoding } = smallestAccepted(request, file);
  response.set({
    'Content-Type': file.type,
    'Content-Length': String(bytes.length),
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  });
  if (encoding !== undefined) response.set('Content-Encoding', encoding);
  response.end(bytes);
}

/** The encodings are checked one by one, because browsers list gzip first although brotli is smaller. */
function smallestAccepted(request: Request, file: ConsoleFile): { bytes: Buffer; encoding?: string } {
  if (file.br && request.acceptsEncodings('br') === 'br') return { bytes: file.br, encoding: 'br' };
  if (file.gzip && request.acceptsEncodings('gzip') === 'gzip') return { bytes: file.gzip, encoding: 'gzip' };
  return { bytes: file.bytes };
}
