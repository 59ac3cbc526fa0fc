/** Returns undefined if its length is zero, infinite or not a number. */
export function directionOf(numbers: readonly number[] | Float32Array): Float32Array | undefined {
  let square = 0;
  for (const each of numbers) square += each * each;
  if (!(square > 0) || square === Infinity) return undefined;
  const length = Math.sqrt(square);
  return Float32Array.from(numbers, (each) => each / length);
}

/** Returns the cosine of two vectors of length 1 and the same dimensions. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < one.length; n += 1) sum += (one[n] ?? 0) * (other[n] ?? 0);
  return sum;
}

/**
 * The larger the angle between two vectors, the more of their bits differ. A search first compares the bits, to select
 * candidates for an exact comparison.
 */
export function bitsOf(vector: Float32Array): string {
  let bits = '';
  for (const each of vector) bits += each > 0 ? '1' : '0';
  return bits;
}

export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((each, n) => bytes.writeFloatLE(each, n * 4));
  return bytes;
}

export function vectorOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(n * 4));
}

export const LARGE_BASE = 20_000;

/** A pgvector index can contain only vectors of one number of dimensions. */
export function vectorIndexName(dimensions: number): string {
  return `knowledge_vectors_hnsw_${Math.trunc(dimensions)}_ix`;
}
