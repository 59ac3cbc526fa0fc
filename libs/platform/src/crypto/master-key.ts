import { hkdfSync } from 'node:crypto';

/**
 * The installation's key and the ones before it, newest first. The first seals and signs, all of them open and verify.
 */
export type MasterKeys = readonly [current: Buffer, ...previous: Buffer[]];

/** A 32-byte key for one purpose (HKDF with SHA-256, RFC 5869): no two purposes ever share key material. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `agent-automation-service:${purpose}`, 32));
}
