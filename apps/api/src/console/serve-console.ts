import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { MainThreadHealthService } from '../health/main-thread-health.service.js';
import { IMMUTABLE, pageHeaders, sendStaticFile } from '../static/send-static-file.js';
import { findBuild, staticFiles } from '../static/static-files.js';

const HOME = '/console/';
const ASSETS = '/console/assets/';
/** Placeholder for the nonce in the built page. Each response contains a new nonce instead. */
const NONCE = 'NONCE';
/** A host name from the request becomes part of a header, so it must contain no other characters. */
const HOST_NAME = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])$/;

/**
 * Serves the built console below `/console/`. The OpenAPI document omits these paths. Returns false if the console was
 * not built.
 */
export function serveConsole(app: NestExpressApplication): boolean {
  const folder = findBuild('console');
  if (folder === undefined) return false;
  const shell = readFileSync(join(folder, 'index.html'), 'utf8').split(NONCE);
  const assets = staticFiles(join(folder, 'assets'));
  const health = app.get(MainThreadHealthService, { strict: false });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') next();
    else if (request.path === '/' && acceptsPage(request)) response.redirect(302, HOME);
    else if (request.path === '/console') response.redirect(302, HOME);
    else if (request.path.startsWith(ASSETS)) {
      const file = assets().get(request.path.slice(ASSETS.length));
      if (file) sendStaticFile(request, response, file, IMMUTABLE);
      else next();
    } else if (request.path.startsWith(HOME)) sendShell(response, shell, stopOriginOf(request, health));
    else next();
  });
  return true;
}

function acceptsPage(request: Request): boolean {
  return request.headers.accept?.includes('text/html') === true;
}

/** Returns the origin of the stop listener at the host name of the request. */
function stopOriginOf({ hostname, protocol }: Request, { stopPort }: MainThreadHealthService): string | undefined {
  if (stopPort === null || !HOST_NAME.test(hostname)) return undefined;
  return `${protocol}://${hostname}:${stopPort}`;
}

/** Each path returns the same page. Its script shows the screen for the path. */
function sendShell(response: Response, shell: readonly string[], stopOrigin?: string): void {
  const nonce = randomBytes(16).toString('base64url');
  const page = Buffer.from(shell.join(nonce));
  response.set({
    ...pageHeaders(nonce, stopOrigin),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(page.length),
    'Cache-Control': 'no-store',
  });
  response.end(page);
}
