/** The repository cannot be had. The message is for people and holds no credentials. */
export class GitReadError extends Error {
  override readonly name = 'GitReadError';

  constructor(
    /** `missing`: no such repository or branch. `refused`: the credentials. `too_large`: beyond the limit. `protocol`: no git server. */
    readonly reason: 'missing' | 'refused' | 'too_large' | 'protocol',
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
