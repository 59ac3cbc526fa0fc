import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { IMMUTABLE, pageHeaders, sendStaticFile } from '../static/send-static-file.js';
import { findBuild, staticFiles } from '../static/static-files.js';

const HOME = '/docs/guides/';
const ASSETS = 'assets/';

/**
 * Serves the built guides below `/docs/guides/`. The OpenAPI document omits these paths. Returns false if the guides
 * were not built.
 */
export function serveGuides(app: NestExpressApplication): boolean {
  const folder = findBuild('docs');
  if (folder === undefined) return false;
  const files = staticFiles(folder);
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') next();
    else if (`${request.path}/` === HOME) response.redirect(302, HOME);
    else if (request.path.startsWith(HOME)) {
      const path = request.path.slice(HOME.length);
      const file = files().get(fileOf(path));
      if (file === undefined) next();
      else if (path.startsWith(ASSETS)) sendStaticFile(request, response, file, IMMUTABLE);
      else sendStaticFile(request, response.set(pageHeaders()), file, 'no-cache');
    } else next();
  });
  return true;
}

/** Returns the file name for a path. Returns an empty text for `index`, so that the index page has only one address. */
function fileOf(path: string): string {
  if (path.startsWith(ASSETS)) return path;
  return path === 'index' ? '' : `${path || 'index'}.html`;
}
