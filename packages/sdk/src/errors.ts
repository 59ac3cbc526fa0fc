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
