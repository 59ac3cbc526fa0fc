import type { IncomingMessage, ServerResponse } from 'node:http';

// The page of the console comes from the main port. For a browser, the port of the stop listener is another origin of
// the same site: it sends the session cookie, but asks for permission first (CORS).

/**
 * Permits the page of the console to send the emergency stop with its session, and other pages nothing. Returns true if
 * the request asked only for this permission, so that the response has been sent.
 */
export function permitConsole(request: IncomingMessage, response: ServerResponse, publicUrl: string): boolean {
  const { headers, method } = request;
  const { origin } = headers;
  if (origin === undefined || !isConsole(request, publicUrl)) return false;
  // Otherwise only requests of pages of the same port count as requests of an own page.
  headers['sec-fetch-site'] = 'same-origin';
  response
    .setHeader('Access-Control-Allow-Origin', origin)
    .setHeader('Access-Control-Allow-Credentials', 'true')
    .setHeader('Vary', 'Origin, Access-Control-Request-Headers');
  if (method !== 'OPTIONS') return false;
  const wanted = headers['access-control-request-headers'];
  if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
  response.setHeader('Access-Control-Allow-Methods', 'POST').writeHead(204).end();
  return true;
}

/**
 * Whether the `Origin` is the one of PUBLIC_URL. If this is not https, the host name of the request also counts, with
 * the port of PUBLIC_URL, because people may use several names for the host.
 */
function isConsole({ headers: { origin, host } }: Pick<IncomingMessage, 'headers'>, publicUrl: string): boolean {
  const own = new URL(publicUrl);
  if (origin === own.origin) return true;
  if (own.protocol !== 'http:' || host === undefined || !URL.canParse(`http://${host}`)) return false;
  const atHost = new URL(`http://${host}`);
  atHost.port = own.port;
  return origin === atHost.origin;
}
