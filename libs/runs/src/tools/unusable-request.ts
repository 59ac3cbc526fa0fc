import type { RunErrorCode } from '../interpreter/run-error.js';

/**
 * Thrown if no valid request can be built for a call, or if its destination is not allowed. The call then sends
 * nothing.
 */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';

  constructor(
    message: string,
    readonly code: Extract<RunErrorCode, 'tool_error' | 'tool_denied'> = 'tool_error',
  ) {
    super(message);
  }
}
