import type { ResponseHead } from './response-head.js';

/**
 * Why an outbound request failed:
 * - `blocked`: the service must not connect to the address
 * - `dns`: the name does not resolve
 * - `connect`: no connection could be established
 * - `tls`: the TLS handshake failed
 * - `timeout`: a time limit passed
 * - `aborted`: the caller's signal or `onBeforeSend` ended the request, or the process is shutting down
 * - `reset`: the connection broke
 * - `too_large`: the headers or the body exceeded their limit
 * - `too_many_redirects`: the limit of redirects was exceeded
 * - `invalid_url`: the URL is not absolute, not http(s), or contains credentials
 * - `protocol`: HTTP cannot express the request, or the response is not HTTP
 */
export const EGRESS_REASONS = [
  'blocked',
  'dns',
  'connect',
  'tls',
  'timeout',
  'aborted',
  'reset',
  'too_large',
  'too_many_redirects',
  'invalid_url',
  'protocol',
] as const;
export type EgressReason = (typeof EGRESS_REASONS)[number];

export class EgressError extends Error {
  override readonly name = 'EgressError';
  /** False only if no byte of the request was written to a connection. Such a request may be retried. */
  readonly sent: boolean;
  /** The server has then decided the request. If the headers could not be read, `headers` is empty. */
  readonly head: ResponseHead | undefined;

  constructor(
    readonly reason: EgressReason,
    message: string,
    { sent, cause, head }: { sent: boolean; cause?: unknown; head?: ResponseHead | undefined },
  ) {
    super(message, { cause });
    this.sent = sent;
    this.head = head;
  }
}

const REASONS_BY_CODE: Readonly<Record<string, EgressReason>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_ABORTED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_INVALID_ARG: 'protocol',
  UND_ERR_NOT_SUPPORTED: 'protocol',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_INFO: 'reset',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
};

/** Parser errors (`HPE_…`) and unknown errors have the reason `protocol`. */
export function egressReasonOf(error: Error, sent: boolean): EgressReason {
  if (error instanceof EgressError) return error.reason;
  const code = 'code' in error ? String(error.code) : '';
  const reason = REASONS_BY_CODE[code] ?? 'protocol';
  return reason === 'reset' && !sent ? 'connect' : reason;
}
