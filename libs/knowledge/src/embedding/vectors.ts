/** The vector of length 1 in the direction of the given one; undefined where there is none, as of zeros or of what is no number. */
export function directionOf(numbers: readonly number[] | Float32Array): Float32Array | undefined {
  let square = 0;
  for (const each of numbers) square += each * each;
  if (!(square > 0) || square === Infinity) return undefined;
  const length = Math.sqrt(square);
  return Float32Array.from(numbers, (each) => each / length);
}

/** Of two vectors of length 1 and the same dimensions: their cosine. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < one.length; n += 1) sum += (one[n] ?? 0) * (other[n] ?? 0);
  return sum;
}

/**
 * One bit a dimension, as Postgres writes bit strings: whether the number is positive. The more bits of two vectors differ, the
 * larger is the angle between them, so this tells the few hundred that are worth a closer look.
 */
export function bitsOf(vector: Float32Array): string {
  let bits = '';
  for (const each of vector) bits += each > 0 ? '1' : '0';
  return bits;
}

/** Little-endian IEEE 754 numbers of 32 bits, as they are stored. */
export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((each, n) => bytes.writeFloatLE(each, n * 4));
  return bytes;
}

/** The inverse of {@link bytesOf}. */
export function vectorOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(n * 4));
}

/** Passages of a base from which on an index is worth its while; fewer are looked at one by one. */
export const LARGE_BASE = 20_000;

/** What the index over all vectors of these dimensions is called. pgvector needs the dimensions to be known. */
export function vectorIndexName(dimensions: number): string {
  return `knowledge_vectors_hnsw_${Math.trunc(dimensions)}_ix`;
}
