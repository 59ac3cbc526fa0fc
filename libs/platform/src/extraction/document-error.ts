/** One document cannot be read. The sync lists `code` and `message` and continues with the next document. */
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
