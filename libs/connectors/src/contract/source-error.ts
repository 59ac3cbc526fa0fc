/** The source cannot be gone through: the sync fails with these words, and what is indexed stays. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    readonly code: string,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
