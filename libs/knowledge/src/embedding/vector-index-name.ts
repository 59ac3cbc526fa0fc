/** Passages of a base from which on an index is worth its while; fewer are looked at one by one. */
export const LARGE_BASE = 20_000;

/** What the index over all vectors of these dimensions is called. pgvector needs the dimensions to be known. */
export function vectorIndexName(dimensions: number): string {
  return `knowledge_vectors_hnsw_${Math.trunc(dimensions)}_ix`;
}
