/**
 * `missing`: the repository or branch does not exist. `refused`: the server rejects the credentials. `too_large`: a
 * limit is exceeded. `protocol`: the response does not follow the git protocol.
 */
export type GitReadFailure = 'missing' | 'refused' | 'too_large' | 'protocol';

/** The message is for people and contains no credentials. */
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
