import { type DomainError, ERROR_CODES, type ErrorCode, type ErrorKind, type ErrorPlace } from '@app/kernel';

export const PROBLEM_TYPE = 'application/problem+json';

/** The only mapping of kinds of errors to HTTP statuses. */
export const STATUS_OF_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  range_not_satisfiable: 416,
  unsupported_media_type: 415,
  gone: 410,
  unprocessable: 422,
  limited: 429,
  failed: 500,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ErrorKind, number>;

/** The body of each error response (RFC 9457). Programs evaluate `code`; the other fields are for people. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
  errors?: readonly ErrorPlace[];
  [extension: string]: unknown;
}

/** Returns a URI that identifies the type of a problem. It is not the address of a page. */
export function problemType(code: string): string {
  return `urn:agent-automation-service:problem:${code}`;
}

function statusOf(error: DomainError): number {
  return STATUS_OF_KIND[error.kind];
}

/** Returns the problem document of an error, without internal details of the service. */
export function toProblem(error: DomainError, requestId: string, status: number = statusOf(error)): Problem {
  const isInternal = error.kind === 'internal';
  const problem = {
    type: problemType(error.code),
    title: ERROR_CODES[error.code].title,
    status,
    detail: isInternal
      ? 'The service failed. Try again later, or send the request id to the operator. The logs contain the error under this id.'
      : error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
  // An extension can add fields to the problem document, but it cannot replace the standard fields.
  return isInternal ? problem : { ...problem, ...error.extensions, ...problem };
}

/**
 * Returns the headers of an error response: the challenge `WWW-Authenticate` (RFC 6750, section 3), and `Retry-After`.
 * `resourceMetadata` is the address that a challenge names (RFC 9728, section 5.1).
 */
export function problemHeaders(error: DomainError, resourceMetadata?: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const challenge = challengeOf(error);
  const metadata = resourceMetadata === undefined ? '' : `, resource_metadata="${resourceMetadata}"`;
  if (challenge) headers['WWW-Authenticate'] = `${challenge}${metadata}`;
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(Math.ceil(error.retryAfterSeconds));
  return headers;
}

const REALM = 'realm="agent-automation-service"';

function challengeOf(error: DomainError): string | undefined {
  if (error.code === 'missing_api_key') return `Bearer ${REALM}`;
  if (error.code === 'invalid_webhook_secret') return `WebhookSecret ${REALM}`;
  if (error.code === 'insufficient_scope') return `Bearer ${REALM}, error="insufficient_scope"`;
  return error.kind === 'unauthenticated' ? `Bearer ${REALM}, error="invalid_token"` : undefined;
}
