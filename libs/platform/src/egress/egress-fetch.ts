import type { EgressClient } from './egress-client.js';
import { EgressError } from './egress-error.js';
import type { EgressRequest } from './egress-request.js';
import { isWithoutBody } from './exchange.js';

type Limits = Pick<EgressRequest, 'timeoutMs' | 'headersTimeoutMs' | 'maxResponseBytes' | 'onBeforeSend'>;

/**
 * Request bodies must be text or bytes, and redirects are not followed. Failures reject with EgressError, not with a
 * TypeError.
 */
export function egressFetch(client: EgressClient, limits: Limits): typeof fetch {
  return async (input, init = {}) => {
    const { method, headers, body, signal } = init;
    const answer = await client.stream({
      ...limits,
      url: input instanceof Request ? input.url : String(input),
      ...(method !== undefined && { method }),
      headers: Object.fromEntries(new Headers(headers)),
      ...(isSendable(body) && { body }),
      ...(signal && { signal }),
    });
    const { status, headers: answered, body: stream } = answer;
    // The constructor of `Response` rejects a body for these statuses (Fetch standard, section 2.2.3).
    return new Response(isWithoutBody(status) ? null : stream, { status, headers: answered });
  };
}

function isSendable(body: unknown): body is string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return true;
  if (body === undefined || body === null) return false;
  throw new EgressError('protocol', 'The request body must be text or bytes.', { sent: false });
}
