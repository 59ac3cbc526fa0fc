/**
 * Why an MCP server returned no usable response:
 * - `disabled`: the operator does not allow the program
 * - `unreachable`: no connection could be established, or the server did not start
 * - `timeout`: a time limit passed
 * - `aborted`: the caller's signal or `onBeforeSend` ended the call
 * - `refused`: the server responded with a protocol error, or the called tool has changed
 * - `broken`: the connection broke, or the response violates the protocol
 */
export type McpFailure = 'disabled' | 'unreachable' | 'timeout' | 'aborted' | 'refused' | 'broken';

export class McpError extends Error {
  override readonly name = 'McpError';
  /** If false, the call certainly did not reach the server. */
  readonly sent: boolean;

  constructor(
    readonly reason: McpFailure,
    message: string,
    { sent, cause }: { sent: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.sent = sent;
  }
}
