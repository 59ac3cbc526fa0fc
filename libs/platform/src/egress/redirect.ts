import type { IncomingResponse } from './collected-answer.js';
import { EgressError } from './egress-error.js';
import type { OutgoingRequest } from './exchange.js';

const REDIRECTS = [301, 302, 303, 307, 308];

/** Any other header is removed, because it may contain credentials. */
const IMPERSONAL_HEADERS = ['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'];

/** The host guard checks the URL later, when the client connects. */
export function redirectTarget(
  response: Pick<IncomingResponse, 'status' | 'headers'>,
  request: Pick<OutgoingRequest, 'url'>,
): string | undefined {
  const location = response.headers['location'];
  if (!REDIRECTS.includes(response.status) || !location) return undefined;
  return URL.canParse(location, request.url.href) ? new URL(location, request.url).href : location;
}

export function redirectWithoutBody(error: unknown): IncomingResponse {
  const head = error instanceof EgressError ? error.head : undefined;
  if (!head || !REDIRECTS.includes(head.status) || head.headers.location === undefined) throw error;
  return { ...head, body: Buffer.alloc(0), truncated: false };
}

/** Changes the method as browsers do. */
export function redirectedRequest(request: OutgoingRequest, status: number, url: URL): OutgoingRequest {
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status <= 302 && request.method === 'POST');
  const sameOrigin = url.origin === request.url.origin;
  const headers = Object.entries(request.headers)
    .filter(([name]) => sameOrigin || IMPERSONAL_HEADERS.includes(name))
    .filter(([name]) => !becomesGet || !name.startsWith('content-'));
  return {
    ...request,
    url,
    headers: Object.fromEntries(headers),
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? undefined : request.body,
  };
}
