/**
 * `unknown_provider`: the installation has no embedding provider of this name. `refused`: the provider rejects the
 * request permanently. `unavailable`: a later attempt may succeed. `unusable`: the answer is not a vector of the text,
 * or its dimensions differ from those of the stored vectors.
 */
export type EmbeddingProblem = 'unknown_provider' | 'refused' | 'unavailable' | 'unusable';

/** Embedding texts failed. The message is for people and contains no keys and no addresses. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  constructor(
    readonly problem: EmbeddingProblem,
    message: string,
    /** The delay in milliseconds that the provider asks for; null if it names none. */
    readonly retryAfterMillis: number | null = null,
    /** Whether a text may be the cause, and not the credentials. */
    readonly isAboutTexts: boolean = false,
  ) {
    super(message);
  }

  get code(): string {
    return `embedding_${this.problem}`;
  }
}
