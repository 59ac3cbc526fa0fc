/**
 * Why a server of the Model Context Protocol gave no usable answer:
 * `disabled` the operator does not allow the program · `unreachable` no connection, or the server did not begin ·
 * `timeout` a time limit passed · `aborted` the caller's signal or gate ended it · `refused` the server answered with an
 * error of the protocol · `broken` the connection or the answer was.
 */
export type McpFailure = 'disabled' | 'unreachable' | 'timeout' | 'aborted' | 'refused' | 'broken';

export class McpError extends Error {
  override readonly name = 'McpError';
  /** False only when it is certain that the call itself has not reached the server. */
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
