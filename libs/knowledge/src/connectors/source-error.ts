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

/** One document cannot be brought: it is listed with these words, what is indexed of it stays, and the sync goes on. */
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
