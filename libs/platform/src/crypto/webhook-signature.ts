import { createHmac, randomBytes } from 'node:crypto';
import { constantTimeEqual } from './digest.js';

/** Returns a new secret in the form of the Standard Webhooks specification: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const PREFIX = 'whsec_';

/** The signed parts of a message. Standard Webhooks signs the id, the time of the attempt and the exact body. */
export interface SignedMessage {
  id: string;
  /** Seconds since 1970-01-01 (UTC). */
  timestamp: number;
  body: string | Uint8Array;
}

/**
 * Returns the value of `webhook-signature` (Standard Webhooks 1.0): one `v1,<base64>` for each secret. During a
 * rotation there are two secrets, and a receiver that knows only one of them accepts the message. Secrets have the form
 * that `newWebhookSecret` returns.
 */
export function webhookSignature({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  };
  return secrets.map(sign).join(' ');
}

/** Signature that the sender of a webhook puts into its headers instead of the secret itself. */
export type SenderSignature =
  /** GitHub's `X-Hub-Signature-256`: `sha256=<hex>` of the body. */
  | { scheme: 'hub'; signature: string }
  /**
   * Signature of Standard Webhooks: `v1,<base64>` of `<id>.<timestamp>.<body>`. It may contain several, separated by
   * spaces.
   */
  | { scheme: 'standard'; id: string; timestamp: string; signature: string };

// A signed message whose timestamp differs from the current time by more than this may be a replay. Standard Webhooks
// requires such a limit.
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Whether the body was signed with this secret (HMAC-SHA256). GitHub's scheme uses the whole secret as the key, and
 * Standard Webhooks uses the bytes after `whsec_`. `now` is compared with the timestamp if the scheme has one.
 */
export function isSignedBy(secret: string, body: string | Uint8Array, given: SenderSignature, now: Date): boolean {
  if (given.scheme === 'hub') {
    return constantTimeEqual(given.signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  }
  const { id, timestamp, signature } = given;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = webhookSignature({ id, timestamp: Number(timestamp), body }, [secret]);
  return signature.split(' ').some((each) => constantTimeEqual(each, expected));
}
