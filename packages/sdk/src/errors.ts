/** The service could not be reached, or the connection broke. `cause` is the error of the platform. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * The time limit of the caller has passed. The service may continue: a run continues, and a request that was sent may
 * still be carried out.
 */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
