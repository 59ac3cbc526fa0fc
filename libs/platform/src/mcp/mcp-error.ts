/**
 * Why an MCP server returned no usable response:
 * - `disabled`: the operator does not allow the program
 * - `unreachable`: no connection could be established, or the server did not start
 * - `timeout`: a time limit passed
 * - `aborted`: the caller's signal or `onBeforeSend` ended the call
 * - `refused`: the server responded that it did not execute the call, or the called tool has changed
 * - `unusable`: the server executed the call, but its result violates the protocol
 * - `broken`: the connection broke, or the response violates the protocol
 */
export type McpFailure = 'disabled' | 'unreachable' | 'timeout' | 'aborted' | 'refused' | 'unusable' | 'broken';

export interface McpHttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export class McpError extends Error {
  override readonly name = 'McpError';
  readonly sent: boolean;
  readonly response: McpHttpResponse | undefined;

  constructor(
    readonly reason: McpFailure,
    message: string,
    { sent, cause, response }: { sent: boolean; cause?: unknown; response?: McpHttpResponse | undefined },
  ) {
    super(message, { cause });
    this.sent = sent;
    this.response = response;
  }
}
