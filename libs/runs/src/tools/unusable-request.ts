import { refused, type ToolCallResult } from '../calls/tool-call.js';
import type { RunErrorCode } from '../interpreter/run-error.js';

type Code = Extract<RunErrorCode, 'tool_error' | 'tool_denied' | 'file_missing' | 'file_too_large'>;

/** The call then sends nothing. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';

  constructor(
    message: string,
    readonly code: Code = 'tool_error',
  ) {
    super(message);
  }

  asResult(prefix = ''): ToolCallResult {
    return refused(prefix + this.message, this.code);
  }
}

/** The storage of files does not answer. The call is made again later, and the worker does not wait for it. */
export class StorageAway extends UnusableRequest {
  override asResult(prefix = ''): ToolCallResult {
    const message = prefix + this.message;
    const detail = { response_summary: message };
    return { kind: 'refused', code: this.code, message, detail, awaitsStorage: true };
  }
}
