/**
 * `unknown_provider`: the installation has no embedding provider with this name. `refused`: the provider rejects the
 * request permanently. `unavailable`: a later attempt may succeed. `unusable`: the response contains no valid vector,
 * or the number of dimensions differs from the stored vectors.
 */
export type EmbeddingProblem = 'unknown_provider' | 'refused' | 'unavailable' | 'unusable';

/** Thrown if embedding failed. The message is shown to people and contains no keys and no addresses. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  constructor(
    readonly problem: EmbeddingProblem,
    message: string,
    /** Delay in milliseconds that the provider requests; null if it requests none. */
    readonly retryAfterMillis: number | null = null,
    /**
     * True if the content of a text may have caused the error. False for other causes, for example wrong credentials.
     */
    readonly isAboutTexts: boolean = false,
  ) {
    super(message);
  }

  get code(): string {
    return `embedding_${this.problem}`;
  }
}
