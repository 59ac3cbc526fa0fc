import type { RunErrorCode } from '../interpreter/run-error.js';

/** The call then sends nothing. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';

  constructor(
    message: string,
    readonly code: Extract<
      RunErrorCode,
      'tool_error' | 'tool_denied' | 'file_missing' | 'file_too_large'
    > = 'tool_error',
  ) {
    super(message);
  }
}
