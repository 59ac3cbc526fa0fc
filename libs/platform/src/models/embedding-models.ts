/** Options of an embedding model that the operator configured. */
export interface EmbeddingModelOptions {
  /** Length of a vector; null for the model's default. It is sent with the request and checked in the answer. */
  readonly dimensions: number | null;
  /** Largest number of texts in one request. */
  readonly batchSize: number;
}

/** Options of models that the operator has not configured. */
export const DEFAULT_EMBEDDING_MODEL: EmbeddingModelOptions = { dimensions: null, batchSize: 64 };

export const LARGEST_EMBEDDING = { dimensions: 16_000, batchSize: 2_048 } as const;
