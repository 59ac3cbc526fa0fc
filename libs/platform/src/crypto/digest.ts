import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of text (UTF-8) or bytes: 32 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

/**
 * Whether two secrets are equal, in a time that depends on neither content nor length: the digests are compared,
 * because `timingSafeEqual` itself refuses inputs of different length.
 */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
