import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey, type MasterKeys } from './envelope.js';

/** Each purpose has its own key. */
export class SigningKey {
  private readonly derived = new Map<string, MasterKeys>();

  constructor(private readonly masters: MasterKeys) {}

  /** `purpose` is a constant of the calling code, never external input. */
  hmac(purpose: string, data: string | Uint8Array): Buffer {
    const [current] = this.keysFor(purpose);
    return authenticate(current, data);
  }

  verify(purpose: string, data: string | Uint8Array, mac: Uint8Array): boolean {
    if (mac.length !== 32) return false;
    return this.keysFor(purpose).some((key) => timingSafeEqual(authenticate(key, data), mac));
  }

  private keysFor(purpose: string): MasterKeys {
    const known = this.derived.get(purpose);
    if (known) return known;
    const [current, ...previous] = this.masters;
    const keys: MasterKeys = [
      deriveKey(current, `sign:${purpose}`),
      ...previous.map((key) => deriveKey(key, `sign:${purpose}`)),
    ];
    this.derived.set(purpose, keys);
    return keys;
  }
}

function authenticate(key: Buffer, data: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
