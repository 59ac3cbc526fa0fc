import type { IncomingMessage } from 'node:http';
import { parseMediaType } from './request-body.js';

/** `own`: a page of this service. `foreign`: a page of another site. `unknown`: the request does not show it. */
export type RequestSite = 'own' | 'foreign' | 'unknown';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The site of the page that sent the request, from Fetch Metadata or else from the `Origin` header. If PUBLIC_URL is
 * not an https address, the `Host` of the request counts as the host of this service, because people may use several
 * names for it.
 */
export function siteOf({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): RequestSite {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  const { origin, host } = headers;
  if (origin === undefined) return 'unknown';
  const own = new URL(publicUrl);
  if (origin === own.origin) return 'own';
  const isAtHost = host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
  return isAtHost && own.protocol === 'http:' ? 'own' : 'foreign';
}

/**
 * Whether the request cannot come from an HTML form of another site: it has a safe method, a JSON body, or the header
 * of the console.
 */
export function provesScript({ method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (SAFE_METHODS.has(method) || headers['x-aas-console'] === '1') return true;
  return parseMediaType(headers['content-type'])?.essence === 'application/json';
}
