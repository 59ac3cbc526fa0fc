/** The source cannot be read. The sync fails with this message, and indexed documents stay. */
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
