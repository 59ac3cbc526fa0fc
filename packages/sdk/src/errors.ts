import type { Problem } from './generated/schema.js';

/** The client could not reach the service, or the connection broke. `cause` is the error of the platform. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * The call did not finish within its time limit. The service may still carry out the request. If the call waited for a
 * run, the run continues.
 */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** Error code of the API. Newer versions of the API may add codes. */
export type ErrorCode = Problem['code'] | (string & {});

/** Problem document of an error response (RFC 9457). Some codes have additional fields, for example `gate`. */
export type ProblemDocument = Omit<Problem, 'code'> & { code: ErrorCode; [member: string]: unknown };

/** Error response of the service. Programs should check `code`, because `message` is text for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status of the response. */
  readonly status: number;
  /** It is `unexpected_response` if the response is not a problem document, for example the error page of a proxy. */
  readonly code: ErrorCode;
  readonly problem: ProblemDocument;
  /** Id of the request in the logs of the service. Undefined if the response does not contain it. */
  readonly requestId: string | undefined;
  /** Number of seconds to wait before a retry. Undefined if the response does not contain this number. */
  readonly retryAfter: number | undefined;

  constructor(problem: ProblemDocument, retryAfter?: number) {
    const { status, code, detail, request_id: requestId } = problem;
    super(`${status} ${code}: ${detail}${requestId ? ` (request ${requestId})` : ''}`);
    this.status = status;
    this.code = code;
    this.problem = problem;
    this.requestId = requestId || undefined;
    this.retryAfter = retryAfter;
  }
}

/** `now` is the current time in milliseconds since 1970, which is needed if `Retry-After` is a date. */
export function apiErrorOf(response: Response, body: string, now: number): ApiError {
  const retryAfter = retryAfterSeconds(response.headers.get('retry-after'), now);
  const problem = problemIn(body);
  if (problem) return new ApiError(problem, retryAfter);
  return unexpectedResponse(response, 'unexpected_response', FOREIGN, retryAfter);
}

const FOREIGN = 'The response is not a problem of this service. Check the address and the proxies before it.';

export function unexpectedResponse(
  { status, headers }: Response,
  code: 'unexpected_response' | 'redirect_refused',
  detail: string,
  retryAfter?: number,
): ApiError {
  const request_id = headers.get('x-request-id') ?? '';
  return new ApiError(
    { type: 'about:blank', title: 'Unexpected response', status, code, detail, request_id },
    retryAfter,
  );
}

function problemIn(body: string): ProblemDocument | undefined {
  try {
    const value = JSON.parse(body) as Partial<ProblemDocument> | null;
    return typeof value?.code === 'string' && typeof value.status === 'number' ? (value as ProblemDocument) : undefined;
  } catch {
    return undefined;
  }
}

/** Parses `Retry-After`, which is a number of seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterSeconds(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
