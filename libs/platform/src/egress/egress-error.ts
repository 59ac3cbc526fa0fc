/**
 * Why an outbound request failed:
 * `blocked` the address is not one the service may reach · `dns` the name does not resolve · `connect` no connection ·
 * `tls` the handshake failed · `timeout` a time limit passed · `aborted` the caller's signal or gate ended it, or the
 * process is shutting down · `reset` the connection broke · `too_large` headers or body beyond the limit ·
 * `too_many_redirects` · `invalid_url` not an absolute http(s) URL without credentials · `protocol` a request that cannot
 * be expressed in HTTP, or an answer that is not HTTP.
 */
export const EGRESS_REASONS = [
  'blocked',
  'dns',
  'connect',
  'tls',
  'timeout',
  'aborted',
  'reset',
  'too_large',
  'too_many_redirects',
  'invalid_url',
  'protocol',
] as const;
export type EgressReason = (typeof EGRESS_REASONS)[number];

/** An outbound request that has no usable answer. Answers with a status of 400 and above are answers, not errors. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  /**
   * False only when it is certain that not one byte of the request was written to a connection: such a request may be
   * made again. True whenever the other side may have received it, also when it was redirected before it failed.
   */
  readonly sent: boolean;

  constructor(
    readonly reason: EgressReason,
    message: string,
    { sent, cause }: { sent: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.sent = sent;
  }
}
