/** How a model that embeds texts is to be asked, as far as the operator says so. */
export interface EmbeddingModelOptions {
  /** Numbers of a vector; what the model gives by itself where it is null. Asked for, and demanded of the answer. */
  readonly dimensions: number | null;
  /** Texts of one request at most. */
  readonly batchSize: number;
}

/** What nothing is said of. */
export const DEFAULT_EMBEDDING_MODEL: EmbeddingModelOptions = { dimensions: null, batchSize: 64 };

export const LARGEST_EMBEDDING = { dimensions: 16_000, batchSize: 2_048 } as const;
