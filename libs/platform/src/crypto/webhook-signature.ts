import { createHmac, randomBytes } from 'node:crypto';
import { constantTimeEqual } from './digest.js';

/** A secret in the form of the Standard Webhooks specification: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const PREFIX = 'whsec_';

/** A message as it is signed: Standard Webhooks signs its id, the time of the attempt and the exact body. */
export interface SignedMessage {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string | Uint8Array;
}

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0): one `v1,<base64>` for each secret, so that a receiver that
 * knows either of two accepts the message. Secrets have the form that `newWebhookSecret` gives them.
 */
export function webhookSignature({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  };
  return secrets.map(sign).join(' ');
}

/** What a sender of a webhook put into its headers instead of the secret itself. */
export type SenderSignature =
  /** GitHub's `X-Hub-Signature-256`: `sha256=<hex>` of the body. */
  | { scheme: 'hub'; signature: string }
  /** Standard Webhooks: `v1,<base64>` of `<id>.<timestamp>.<body>`, several separated by spaces. */
  | { scheme: 'standard'; id: string; timestamp: string; signature: string };

// Older or younger by more than this, a signed message may be a recording (Standard Webhooks asks for such a limit).
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Whether the body was signed with this secret (HMAC-SHA256): with its whole text in GitHub's scheme, with the bytes
 * after `whsec_` in Standard Webhooks'. `now` is compared with the timestamp of schemes that have one.
 */
export function isSignedBy(secret: string, body: string, given: SenderSignature, now: Date): boolean {
  if (given.scheme === 'hub') {
    return constantTimeEqual(given.signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  }
  const { id, timestamp, signature } = given;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = webhookSignature({ id, timestamp: Number(timestamp), body }, [secret]);
  return signature.split(' ').some((each) => constantTimeEqual(each, expected));
}
