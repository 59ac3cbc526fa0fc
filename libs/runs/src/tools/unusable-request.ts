import type { RunErrorCode } from '../interpreter/run-error.js';

/**
 * Thrown if a call cannot be expressed as a request, or if its destination is not allowed. The call then sends no
 * request.
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
