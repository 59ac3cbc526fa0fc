import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from './digest.js';

export const API_KEY_KINDS = ['live', 'test'] as const;
export type ApiKeyKind = (typeof API_KEY_KINDS)[number];

/** All fields except `key` may be stored. */
export interface NewApiKey {
  key: string;
  /** The key has 256 random bits, so it needs no slow hash. */
  hash: Buffer;
  prefix: string;
  lastFour: string;
}

const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORMAT = /^aas_(live|test)_[0-9A-Za-z]{49}$/;

/** The key has only letters, digits and underscores, so that a double click selects all of it. */
export function newApiKey(kind: ApiKeyKind): NewApiKey {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  const unchecked = `aas_${kind}_${secret}`;
  const key = unchecked + checksum(unchecked);
  return { key, hash: sha256(key), prefix: key.slice(0, 'aas_live_'.length + 4), lastFour: key.slice(-4) };
}

/**
 * Most typing errors and guesses are therefore rejected without a query. The timing of that lookup reveals nothing,
 * because a caller cannot choose the hash of a key.
 */
export function parseApiKey(text: string): { kind: ApiKeyKind; hash: Buffer } | undefined {
  const kind = FORMAT.exec(text)?.[1];
  if (kind !== 'live' && kind !== 'test') return undefined;
  const secretEnd = text.length - CHECKSUM_LENGTH;
  if (checksum(text.slice(0, secretEnd)) !== text.slice(secretEnd)) return undefined;
  return { kind, hash: sha256(text) };
}

function checksum(text: string): string {
  return toBase62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = BASE_62.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
