import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { WebhookProof } from '@app/agents';
import { DomainError, type JsonObject } from '@app/kernel';
import type { DeliveryName } from '@app/triggers';
import { readIdempotencyKey } from '../http/idempotency-key.js';
import { parseJsonObject, readJsonText } from '../http/json-body.js';

const LONGEST_NAME = 255;

/**
 * Reads the proof that the sender knows the secret. A signature covers the body, so the body is read first. If the
 * request contains the secret itself, the secret is checked before the body is read. A request with neither returns a
 * proof that fails. `limit` is the maximum size of the body in bytes.
 */
export async function readProof(
  request: IncomingMessage,
  limit: number,
): Promise<{ proof: WebhookProof; text?: string }> {
  const { headers } = request;
  const secret = headers['x-service-webhook-secret'];
  if (typeof secret === 'string') return { proof: { kind: 'secret', secret } };
  const signature = signatureOf(headers);
  if (!signature) return { proof: { kind: 'secret', secret: '' } };
  const text = await readJsonText(request, limit);
  return { proof: { kind: 'signature', signature, body: text }, text };
}

/** Reads the delivery. `text` is the body of the request if it has already been read. */
export async function readDelivery(
  request: IncomingMessage,
  text: string | undefined,
  limit: number,
): Promise<{ body: JsonObject; name: DeliveryName | undefined }> {
  const name = deliveryName(request);
  return { body: parseJsonObject(text ?? (await readJsonText(request, limit))), name };
}

type Signature = Extract<WebhookProof, { kind: 'signature' }>['signature'];

function signatureOf(headers: IncomingHttpHeaders): Signature | undefined {
  const hub = headers['x-hub-signature-256'];
  if (typeof hub === 'string') return { scheme: 'hub', signature: hub };
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  return { scheme: 'standard', id, timestamp, signature };
}

/** The identity of the delivery: the first of these headers that the sender uses. */
function deliveryName(request: IncomingMessage): DeliveryName | undefined {
  const key = readIdempotencyKey(request);
  if (key !== undefined) return { kind: 'idempotency-key', value: key };
  return (
    named(request.headers, 'webhook-id', 'webhook-id') ?? named(request.headers, 'x-github-delivery', 'github-delivery')
  );
}

function named(headers: IncomingHttpHeaders, header: string, kind: DeliveryName['kind']): DeliveryName | undefined {
  const value = headers[header];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME) return { kind, value };
  throw new DomainError('invalid_request', `${header} must be 1 to ${LONGEST_NAME} characters.`);
}
