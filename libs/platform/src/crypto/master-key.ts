import { hkdfSync } from 'node:crypto';

/**
 * The encryption keys of the installation: the current key, then the previous keys. Only the current key seals and
 * signs. All keys open and verify.
 */
export type MasterKeys = readonly [current: Buffer, ...previous: Buffer[]];

/** Derives a 32-byte key for one purpose (HKDF with SHA-256, RFC 5869), so that no two purposes share key material. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `agent-automation-service:${purpose}`, 32));
}
