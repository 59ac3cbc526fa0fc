import { EgressError, type EgressReason } from './egress-error.js';

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

/** What went wrong, from an error of undici or of the socket. Parser errors (`HPE_…`) and whatever is unknown are `protocol`. */
export function reasonOf(error: Error, sent: boolean): EgressReason {
  if (error instanceof EgressError) return error.reason;
  const code = 'code' in error ? String(error.code) : '';
  const reason = REASONS_BY_CODE[code] ?? 'protocol';
  return reason === 'reset' && !sent ? 'connect' : reason;
}
