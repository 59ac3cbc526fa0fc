import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { WebhookProof } from '@app/agents';
import { DomainError, type JsonObject } from '@app/kernel';
import { standardSignature } from '@app/platform/crypto';
import type { DeliveryName, SatisfiedTrigger } from '@app/triggers';
import { readIdempotencyKey } from '../http/idempotency-key.js';

const LONGEST_NAME = 255;

export type OwnSignature = Extract<WebhookProof, { kind: 'signature' }>['signature'];

export function ownSignature(headers: IncomingHttpHeaders): OwnSignature | undefined {
  const hub = headers['x-hub-signature-256'];
  if (typeof hub === 'string') return { scheme: 'hub', signature: hub };
  return standardSignature(headers);
}

/** The headers that may contain the id of a delivery. An earlier header in the list has priority. */
const NAMES: readonly (readonly [header: string, kind: DeliveryName['kind']])[] = [
  ['webhook-id', 'webhook-id'],
  ['svix-id', 'webhook-id'],
  ['x-github-delivery', 'github-delivery'],
  ['x-shopify-webhook-id', 'shopify-webhook'],
  ['linear-delivery', 'linear-delivery'],
  ['x-gitlab-event-uuid', 'gitlab-event'],
  ['i-twilio-idempotency-token', 'twilio-token'],
];

/**
 * Returns the id of the delivery. It is the `Idempotency-Key`. Without this header, it is the first header of `NAMES`
 * that is present. Without such a header, it is the id in a body that Slack or Stripe signed. Returns undefined if the
 * request contains none of these.
 */
export function deliveryName(
  request: IncomingMessage,
  body: JsonObject,
  satisfied: readonly SatisfiedTrigger[],
): DeliveryName | undefined {
  const key = readIdempotencyKey(request);
  if (key !== undefined) return { kind: 'idempotency-key', value: key };
  for (const [header, kind] of NAMES) {
    const name = named(request.headers, header, kind);
    if (name) return name;
  }
  const schemes = new Set(satisfied.map(({ auth }) => auth.scheme));
  if (schemes.has('slack') && isName(body.event_id)) return { kind: 'slack-event', value: body.event_id };
  if (schemes.has('stripe') && isName(body.id)) return { kind: 'stripe-event', value: body.id };
  return undefined;
}

function named(headers: IncomingHttpHeaders, header: string, kind: DeliveryName['kind']): DeliveryName | undefined {
  const value = headers[header];
  if (value === undefined) return undefined;
  if (isName(value)) return { kind, value };
  throw new DomainError('invalid_request', `${header} must be 1 to ${LONGEST_NAME} characters.`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME;
}
