import type { IncomingMessage } from 'node:http';
import { canonicalJson, DomainError, type JsonObject } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

// The key may also be a structured-field string (RFC 9651), whose quotes are not part of the key.
const KEY = /^(?:"([\x20\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x20-\x7e]{0,254}))$/;

/**
 * Reads the `Idempotency-Key` header. Returns undefined if it is absent.
 * @throws DomainError `invalid_request` if the key is not 1 to 255 printable ASCII characters
 */
export function readIdempotencyKey({ headers }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const match = typeof header === 'string' ? KEY.exec(header) : null;
  const key = match?.[1] ?? match?.[2];
  if (key === undefined) {
    throw new DomainError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
  }
  return key;
}

/** Returns undefined if the request has no idempotency key. */
export function idempotencyClaim(
  endpoint: string,
  key: string | undefined,
  body: JsonObject | string,
): { endpoint: string; key: string; fingerprint: Buffer } | undefined {
  return key === undefined ? undefined : { endpoint, key, fingerprint: bodyFingerprint(body) };
}

/**
 * Returns a hash that must be equal in all requests with the same idempotency key. The formatting of a JSON body does
 * not change the hash.
 */
function bodyFingerprint(body: JsonObject | string): Buffer {
  return sha256(typeof body === 'string' ? body : canonicalJson(body));
}
