import type { IncomingMessage } from 'node:http';
import { parseMediaType } from './request-body.js';

/**
 * The page that sent the request. `own`: a page of this service. `foreign`: a page of another site. `unknown`: the
 * headers do not show it.
 */
export type RequestSite = 'own' | 'foreign' | 'unknown';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Uses the Fetch Metadata headers, or, if they are absent, the `Origin` header. If PUBLIC_URL is not https, an origin
 * that matches the `Host` of the request is also `own`, because people may use several names for the host.
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
 * Whether the request has a safe method, a JSON body, or the header of the console. An HTML form on another site can
 * send a request with a safe method, but neither a JSON body nor this header.
 */
export function provesScript({ method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (SAFE_METHODS.has(method) || headers['x-aas-console'] === '1') return true;
  return parseMediaType(headers['content-type'])?.essence === 'application/json';
}
