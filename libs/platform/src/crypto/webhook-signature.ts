import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { constantTimeEqual } from './digest.js';

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const PREFIX = 'whsec_';

export interface SignedMessage {
  id: string;
  /** Time of the attempt, in seconds since 1970-01-01 (UTC). */
  timestamp: number;
  body: string | Uint8Array;
}

/**
 * After a rotation, the message is also signed with old secrets that are still valid. A receiver that knows only an old
 * secret then accepts the message.
 */
export function webhookSignature({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  };
  return secrets.map(sign).join(' ');
}

export type SenderSignature =
  | { scheme: 'hub'; signature: string }
  /**
   * Headers of Standard Webhooks. `signature` contains one or more `v1,<base64>`, separated by spaces. Each is an HMAC
   * of `<id>.<timestamp>.<body>`.
   */
  | { scheme: 'standard'; id: string; timestamp: string; signature: string };

const TOLERANCE_MS = 5 * 60_000;

/** Senders that use the libraries of Svix, for example Clerk and Resend, send the same values in headers of Svix. */
const STANDARD_PREFIXES = ['webhook', 'svix'] as const;

export function standardSignature(headers: IncomingHttpHeaders): SenderSignature | undefined {
  for (const prefix of STANDARD_PREFIXES) {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`${prefix}-${name}`]);
    if (typeof id === 'string' && typeof timestamp === 'string' && typeof signature === 'string')
      return { scheme: 'standard', id, timestamp, signature };
  }
  return undefined;
}

/**
 * In GitHub's scheme, the key is the whole secret, and the hexadecimal digits may be capitals. In Standard Webhooks,
 * the key is the base64-decoded part after `whsec_`, and the timestamp must differ from `now` by at most `toleranceMs`.
 */
export function isSignedBy(
  secret: string,
  body: string | Uint8Array,
  given: SenderSignature,
  now: Date,
  toleranceMs = TOLERANCE_MS,
): boolean {
  if (given.scheme === 'hub') {
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    return constantTimeEqual(given.signature.toLowerCase(), expected);
  }
  const { id, timestamp, signature } = given;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() - Number(timestamp) * 1_000) > toleranceMs) return false;
  const expected = webhookSignature({ id, timestamp: Number(timestamp), body }, [secret]);
  return signature.split(' ').some((each) => constantTimeEqual(each, expected));
}
