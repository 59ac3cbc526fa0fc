import { randomBytes } from 'node:crypto';
import { sha256 } from '@app/platform/crypto';

const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Only its hash may be stored. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: sha256(token) };
}

/** Whether the text has the form of a token from {@link newToken}. */
export function isToken(text: string): boolean {
  return FORM.test(text);
}
