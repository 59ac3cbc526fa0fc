import type { Problem } from './generated/schema.js';

/** Error code of the API. Later versions of the API may add codes. */
export type ErrorCode = Problem['code'] | (string & {});

/** The problem document of an error response (RFC 9457). Some codes have additional fields, for example `gate`. */
export type ProblemDocument = Omit<Problem, 'code'> & { code: ErrorCode; [member: string]: unknown };

/** The service rejected the request, or failed. Programs read `code`; `message` is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** `unexpected_response` if the response was not a problem document, for example the error page of a proxy. */
  readonly code: ErrorCode;
  readonly problem: ProblemDocument;
  /** Id of the request in the logs of the service, if the response contains it. */
  readonly requestId: string | undefined;
  /** Seconds after which the request may be retried, if the service sends this number. */
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

/** Creates the error for an error response. `now` is the time in milliseconds, needed if `Retry-After` is a date. */
export function apiErrorOf(response: Response, body: string, now: number): ApiError {
  const retryAfter = retryAfterSeconds(response.headers.get('retry-after'), now);
  const problem = problemIn(body);
  if (problem) return new ApiError(problem, retryAfter);
  return unexpectedResponse(response, 'unexpected_response', FOREIGN, retryAfter);
}

const FOREIGN = 'The response is not a problem of this service. Check the address and the proxies before it.';

/** Creates the error for a response that this service never sends. */
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

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
function retryAfterSeconds(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
