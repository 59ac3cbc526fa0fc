import { EgressError } from './egress-error.js';
import type { EgressRequest } from './egress-request.js';
import type { OutgoingRequest } from './exchange.js';
import { isStreamedBody } from './streamed-body.js';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const REFUSED_METHODS = ['CONNECT', 'TRACE', 'TRACK'];

/** Only the client sets them. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);

const DEFAULT_HEADERS = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'agent-automation-service',
};

/** @throws EgressError with `sent: false` */
export function outgoingRequest(request: EgressRequest): OutgoingRequest {
  const {
    url,
    method = 'GET',
    body,
    headersTimeoutMs = 15_000,
    maxResponseBytes = 1024 * 1024,
    onBeforeSend,
  } = request;
  const upperMethod = method.toUpperCase();
  if (!TOKEN.test(method) || REFUSED_METHODS.includes(upperMethod)) {
    throw new EgressError('protocol', `The HTTP method ${JSON.stringify(method.slice(0, 40))} is not supported.`, {
      sent: false,
    });
  }
  return {
    url: parseTarget(url, false),
    method: upperMethod,
    headers: completeHeaders(request.headers ?? {}),
    body: body === undefined || isStreamedBody(body) ? body : toBuffer(body),
    headersTimeoutMs,
    maxResponseBytes,
    onBeforeSend,
  };
}

/**
 * @param sent whether an earlier request was redirected to this URL
 * @throws EgressError `invalid_url` with the value of `sent`
 */
export function parseTarget(text: string, sent: boolean): URL {
  const refuse = (why: string) => new EgressError('invalid_url', `The URL ${why}.`, { sent });
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse('is not an absolute URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse(`starts with ${url.protocol}, not with http: or https:`);
  if (url.username || url.password) throw refuse('contains credentials; send them in a header');
  return url;
}

function completeHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = Object.assign({}, DEFAULT_HEADERS);
  for (const name of Object.keys(given)) {
    const value = given[name]!;
    if (!TOKEN.test(name) || FORBIDDEN_IN_VALUE.test(value)) {
      throw new EgressError(
        'protocol',
        `The header ${JSON.stringify(name.slice(0, 40))} has characters that HTTP does not allow.`,
        { sent: false },
      );
    }
    const lowerName = name.toLowerCase();
    if (!OWN_HEADERS.has(lowerName)) headers[lowerName] = value;
  }
  return headers;
}

function toBuffer(body: string | Uint8Array): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
