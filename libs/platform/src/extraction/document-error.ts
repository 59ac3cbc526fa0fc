/** One document cannot be read. `code` and `message` are listed in the sync, which continues with the next document. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';

  constructor(
    readonly code: string,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}
