import { randomBytes } from 'node:crypto';

/** A secret in the form of the Standard Webhooks specification: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
