import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the SHA-256 digest (32 bytes) of text (as UTF-8) or bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

/**
 * Whether two secrets are equal. The duration does not reveal where the secrets differ. The function compares digests,
 * because `timingSafeEqual` rejects inputs of different lengths.
 */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
