/** `missing`: no such repository or branch. `refused`: the credentials. `too_large`: beyond a limit. `protocol`: no git server. */
export type GitReadFailure = 'missing' | 'refused' | 'too_large' | 'protocol';

/** The repository cannot be had. The message is for people and holds no credentials. */
export class GitReadError extends Error {
  override readonly name = 'GitReadError';

  constructor(
    readonly reason: GitReadFailure,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
