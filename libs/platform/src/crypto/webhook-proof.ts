import { createHmac } from 'node:crypto';
import { constantTimeEqual } from './digest.js';
import { webhookSignature } from './webhook-signature.js';

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
