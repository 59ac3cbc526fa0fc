import type { IncomingMessage } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';

// The page of the console comes from the main port. For a browser, the port of the stop listener is another origin of
// the same site: it sends the session cookie, but asks for permission first (CORS).

/** Permits the page of the console to send the emergency stop with its session, and other pages nothing. */
export function permitConsole(app: NestExpressApplication, publicUrl: string): void {
  app.enableCors((request: Request, decide: (error: null, options: object) => void) =>
    decide(null, { origin: isConsole(request, publicUrl), credentials: true, methods: ['POST'] }),
  );
  app.use((request: Request, _response: Response, next: NextFunction) => {
    // Otherwise only requests of pages of the same port count as requests of an own page.
    if (isConsole(request, publicUrl)) request.headers['sec-fetch-site'] = 'same-origin';
    next();
  });
}

/**
 * Whether the `Origin` is the one of PUBLIC_URL. If this is not https, the host name of the request also counts, with
 * the port of PUBLIC_URL, because people may use several names for the host.
 */
function isConsole({ headers: { origin, host } }: Pick<IncomingMessage, 'headers'>, publicUrl: string): boolean {
  if (origin === undefined) return false;
  const own = new URL(publicUrl);
  if (origin === own.origin) return true;
  if (own.protocol !== 'http:' || host === undefined || !URL.canParse(`http://${host}`)) return false;
  const atHost = new URL(`http://${host}`);
  atHost.port = own.port;
  return origin === atHost.origin;
}
