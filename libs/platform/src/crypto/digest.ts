import { createHash, timingSafeEqual } from 'node:crypto';

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

/**
 * The duration does not reveal where the secrets differ. The function compares digests, because `timingSafeEqual`
 * rejects inputs of different lengths.
 */
export function constantTimeEqual(a: string | Uint8Array, b: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
