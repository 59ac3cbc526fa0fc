/** The client could not reach the service, or lost the connection. `cause` is the error of the platform. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The call did not finish within its time limit. The service may still carry out the request, and a run continues. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}
