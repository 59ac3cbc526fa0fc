import { createCipheriv, createDecipheriv, randomBytes, hkdfSync } from 'node:crypto';
import { DomainError } from '@app/kernel';
import { sha256 } from './digest.js';

/** A sealed value that is copied to another field cannot be opened. */
export interface SealedCell {
  workspace: string;
  table: string;
  column: string;
  row: string;
}

/** `unknown`: the key is not one of the installation's keys, or the value is not a sealed value. */
export type SealedBy = 'current' | 'previous' | 'unknown';

/** Only the current key seals and signs. All keys open and verify. */
export type MasterKeys = readonly [current: Buffer, ...previous: Buffer[]];

/** Derives a 32-byte key for one purpose (HKDF with SHA-256, RFC 5869), so that no two purposes share key material. */
export function deriveKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `agent-automation-service:${purpose}`, 32));
}

interface SealingKey {
  id: Buffer;
  key: Buffer;
}

const VERSION = 1;
const KEY_ID_LENGTH = 4;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + KEY_ID_LENGTH + IV_LENGTH + TAG_LENGTH;

/**
 * Encrypts secrets at rest with AES-256-GCM (NIST SP 800-38D) and a random 96-bit IV for every value. The layout of a
 * sealed value is: version (1 byte) | id of the key (4) | IV (12) | tag (16) | ciphertext. The tag also authenticates
 * the header and the {@link SealedCell}, so that changed or moved values are detected.
 */
export class SealedBox {
  private readonly keys: readonly SealingKey[];
  private readonly current: SealingKey;

  constructor([current, ...previous]: MasterKeys) {
    this.current = sealingKey(current);
    this.keys = [this.current, ...previous.map(sealingKey)];
  }

  seal(plain: string | Uint8Array, cell: SealedCell): Buffer {
    const iv = randomBytes(IV_LENGTH);
    const prefix = this.currentPrefix;
    const cipher = createCipheriv('aes-256-gcm', this.current.key, iv, { authTagLength: TAG_LENGTH });
    cipher.setAAD(authenticated(prefix, cell));
    const body = Buffer.concat([
      typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain),
      cipher.final(),
    ]);
    return Buffer.concat([prefix, iv, cipher.getAuthTag(), body]);
  }

  /**
   * @throws DomainError `internal_error` if the value is damaged, belongs to another field, or was sealed with a key
   * that is in neither ENCRYPTION_KEY nor ENCRYPTION_KEYS_PREVIOUS
   */
  open(sealed: Uint8Array, cell: SealedCell): Buffer {
    const bytes = Buffer.from(sealed);
    if (bytes.length < HEADER_LENGTH || bytes[0] !== VERSION) throw unopenable(cell, 'it is not a sealed value');
    const prefix = bytes.subarray(0, 1 + KEY_ID_LENGTH);
    const found = this.keys.find(({ id }) => id.equals(prefix.subarray(1)));
    if (!found) throw unopenable(cell, 'its key is neither ENCRYPTION_KEY nor one of ENCRYPTION_KEYS_PREVIOUS');
    const iv = bytes.subarray(prefix.length, prefix.length + IV_LENGTH);
    const decipher = createDecipheriv('aes-256-gcm', found.key, iv, { authTagLength: TAG_LENGTH });
    decipher.setAAD(authenticated(prefix, cell));
    decipher.setAuthTag(bytes.subarray(HEADER_LENGTH - TAG_LENGTH, HEADER_LENGTH));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(HEADER_LENGTH)), decipher.final()]);
    } catch (cause) {
      throw unopenable(cell, 'it is damaged or belongs to another row', cause);
    }
  }

  sealedBy(sealed: Uint8Array): SealedBy {
    if (sealed.length < HEADER_LENGTH || sealed[0] !== VERSION) return 'unknown';
    const found = this.keys.find(({ id }) => id.equals(sealed.subarray(1, 1 + KEY_ID_LENGTH)));
    return found ? (found === this.current ? 'current' : 'previous') : 'unknown';
  }

  /** Values in the database may then still be sealed with a previous key. */
  get hasPreviousKeys(): boolean {
    return this.keys.length > 1;
  }

  get currentPrefix(): Buffer {
    return Buffer.concat([Buffer.of(VERSION), this.current.id]);
  }

  openText(sealed: Uint8Array, cell: SealedCell): string {
    return this.open(sealed, cell).toString('utf8');
  }
}

function sealingKey(master: Buffer): SealingKey {
  const key = deriveKey(master, 'seal');
  return { key, id: sha256(key).subarray(0, KEY_ID_LENGTH) };
}

// JSON keeps the four parts of the SealedCell distinct, whatever characters the parts contain.
function authenticated(prefix: Buffer, cell: SealedCell): Buffer {
  return Buffer.concat([prefix, Buffer.from(JSON.stringify([cell.workspace, cell.table, cell.column, cell.row]))]);
}

function unopenable(cell: SealedCell, why: string, cause?: unknown): DomainError {
  return new DomainError('internal_error', `A secret in ${cell.table}.${cell.column} cannot be opened: ${why}.`, {
    cause,
  });
}
