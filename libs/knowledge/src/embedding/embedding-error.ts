/**
 * `unknown_provider`: the installation has none of the name, or one that embeds nothing. `refused`: the provider does not take the
 * request, and would not take it again. `unavailable`: it may take it later. `unusable`: it has answered something that is no vector
 * of the text, or one that cannot be compared with those that there are.
 */
export type EmbeddingProblem = 'unknown_provider' | 'refused' | 'unavailable' | 'unusable';

/** Texts could not be embedded. The message is for people, without keys and addresses. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';

  constructor(
    readonly problem: EmbeddingProblem,
    message: string,
    /** Milliseconds after which the provider wants to be asked again; null where it says nothing. */
    readonly retryAfterMillis: number | null = null,
    /** Whether it may be the texts that are refused, and not whoever asks. */
    readonly isAboutTexts: boolean = false,
  ) {
    super(message);
  }

  get code(): string {
    return `embedding_${this.problem}`;
  }
}
