/** The service could not be reached, or the connection broke; `cause` is what the platform reports. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * The time that the caller allowed is over. The service may continue: a run that was waited for does, and a request
 * that was sent may be carried out.
 */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
