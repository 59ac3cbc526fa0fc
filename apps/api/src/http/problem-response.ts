import type { ServerResponse } from 'node:http';
import { DomainError } from '@app/kernel';
import { databaseFailure } from '@app/platform/database';
import type { Logger } from '@app/platform/observability';
import type { ServedRequest } from './request-context.js';
import { PROBLEM_TYPE, problemHeaders, toProblem } from './problem.js';

/** Returns the error that the caller gets. An error that no caller can cause becomes `internal_error`. */
export function failureOf(raised: unknown): DomainError {
  const error = databaseFailure(raised);
  if (error instanceof DomainError) return error;
  return new DomainError('internal_error', 'Unexpected error.', { cause: error });
}

/** Logs failures of the service and of its dependencies, but no rejected requests. */
export function logFailure(logger: Logger, raised: unknown, failure: DomainError, requestId: string): void {
  if (failure.kind === 'internal') logger.error({ requestId, err: raised }, 'request failed');
  else if (failure.kind === 'unavailable' && failure.cause !== undefined) {
    logger.warn({ requestId, err: failure.cause }, 'request failed: dependency unavailable');
  }
}

/** `send` exists if Express serves the response. */
type ProblemResponse = ServerResponse & { send?: (body: Buffer) => unknown };

/** Responds with the problem document of an error (RFC 9457). */
export function sendProblem(
  response: ProblemResponse,
  failure: DomainError,
  { id, resourceMetadata }: ServedRequest,
): void {
  if (response.headersSent) {
    // The status has already been sent. The connection is closed, so that the client notices the incomplete response.
    response.destroy();
    return;
  }
  const problem = toProblem(failure, id);
  const body = Buffer.from(JSON.stringify(problem));
  response.statusCode = problem.status;
  for (const [name, value] of Object.entries(problemHeaders(failure, resourceMetadata)))
    response.setHeader(name, value);
  response.setHeader('Content-Type', PROBLEM_TYPE);
  if (response.send) response.send(body);
  // For HEAD, Node omits the body.
  else response.setHeader('Content-Length', body.length).end(body);
}

/**
 * Returns the error of a request that no route serves, and sets `Allow` if the path exists.
 * @param allowed the methods of the path, in the form of `Allow`; undefined for an unknown path
 */
export function unknownRoute(
  response: ServerResponse,
  { method, path }: { method: string; path: string },
  allowed: string | undefined,
  hint: string,
): DomainError {
  const shown = path.slice(0, 200);
  if (allowed === undefined) return new DomainError('not_found', `No route matches ${shown}. ${hint}`);
  response.setHeader('Allow', allowed);
  return new DomainError('method_not_allowed', `${shown} does not support ${method}. Allowed: ${allowed}. ${hint}`);
}
