import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { WebhookProof } from '@app/agents';
import { DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { standardSignature } from '@app/platform/crypto';
import type { DeliveryName, SatisfiedTrigger } from '@app/triggers';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { parseMediaType } from '../http/request-body.js';

const MAX_NAME = 255;

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
  ['x-amz-sns-message-id', 'sns-message'],
];

/**
 * Returns the id of the delivery. It is the `Idempotency-Key`. Without this header, it is the first header of `NAMES`
 * that is present. Without such a header, it is the source and id of a CloudEvent, or the id in a body that Slack or
 * Stripe signed. Returns undefined if the request contains none of these.
 */
export function deliveryName(
  request: IncomingMessage,
  body: JsonValue,
  satisfied: readonly SatisfiedTrigger[],
): DeliveryName | undefined {
  const key = readIdempotencyKey(request);
  if (key !== undefined) return { kind: 'idempotency-key', value: key };
  for (const [header, kind] of NAMES) {
    const name = named(request.headers, header, kind);
    if (name) return name;
  }
  const message = isJsonObject(body) ? body : {};
  const { id, source } = cloudEvent(request.headers, message);
  if (isName(id) && isName(source)) {
    const value = `${source} ${id}`;
    if (isName(value)) return { kind: 'cloudevent', value };
  }
  const schemes = new Set(satisfied.map(({ auth }) => auth.scheme));
  if (schemes.has('slack') && isName(message.event_id)) return { kind: 'slack-event', value: message.event_id };
  if (schemes.has('stripe') && isName(message.id)) return { kind: 'stripe-event', value: message.id };
  return undefined;
}

/** The attributes that identify a CloudEvent: in the body (structured mode) or in headers (binary mode). */
function cloudEvent(headers: IncomingHttpHeaders, message: JsonObject): { id?: unknown; source?: unknown } {
  const isStructured = parseMediaType(headers['content-type'])?.essence === 'application/cloudevents+json';
  return isStructured ? message : { id: headers['ce-id'], source: headers['ce-source'] };
}

function named(headers: IncomingHttpHeaders, header: string, kind: DeliveryName['kind']): DeliveryName | undefined {
  const value = headers[header];
  if (value === undefined) return undefined;
  if (isName(value)) return { kind, value };
  throw new DomainError('invalid_request', `${header} must be 1 to ${MAX_NAME} characters.`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME;
}
