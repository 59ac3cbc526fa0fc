import { createHmac } from 'node:crypto';

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
