import { Webhook } from 'standardwebhooks';
import type { JsonObject } from '@app/kernel';
import type { ApiClient } from './api-client.js';
import type { LedgerCall } from './ledger.js';

export interface EndpointAnswer {
  id: string;
  url: string;
  secret: string;
  events: string[];
  agents: string[] | null;
  status: string;
  disabled_reason: string | null;
  failing_since: string | null;
}

export interface DeliveryAnswer {
  id: string;
  event: string;
  event_type: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  response_status: number | null;
  response_body: string | null;
  latency_ms: number | null;
  error: string | null;
}

/** Fields that every webhook message has. */
export interface Message {
  id: string;
  type: string;
  timestamp: string;
  workspace: string;
  data: JsonObject;
}

/** Creates a webhook endpoint for `url`. By default, it receives the event `run.completed`. */
export function subscribe(client: ApiClient, url: string, members: JsonObject = {}): Promise<EndpointAnswer> {
  return client.expect('POST', '/v1/webhook-endpoints', { url, events: ['run.completed'], ...members });
}

export async function deliveriesOf(client: ApiClient, endpoint: string, query = ''): Promise<DeliveryAnswer[]> {
  const path = `/v1/webhook-endpoints/${endpoint}/deliveries${query}`;
  return (await client.expect<{ data: DeliveryAnswer[] }>('GET', path)).data;
}

/**
 * Verifies the signature of a call, as a receiver does, and returns the message.
 *
 * @throws if the signature is invalid
 */
export function verifyMessage({ body, headers }: LedgerCall, secret: string): Message {
  const signed = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  };
  return new Webhook(secret).verify(body, signed) as Message;
}
