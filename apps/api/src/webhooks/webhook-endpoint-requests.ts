import type { IdempotencyClaim } from '@app/workspace';
import type { Subscription } from '@app/events';
import { idempotencyClaim } from '../http/idempotency-key.js';
import type { CreateWebhookEndpointBody, UpdateWebhookEndpointBody } from './webhook-endpoint.dto.js';

/** What `POST /v1/webhook-endpoints` asks for. */
export function newSubscription(body: CreateWebhookEndpointBody): Subscription {
  const { url, events, agents, description, status } = body;
  return { url, events: distinct(events), agents: agents ? distinct(agents) : null, description, status };
}

/** A body that leaves out a default is the same as one that gives it. */
export function creationClaim(body: CreateWebhookEndpointBody, key: string | undefined): IdempotencyClaim | undefined {
  return idempotencyClaim('POST /v1/webhook-endpoints', key, { ...newSubscription(body) });
}

/** What `PATCH` changes: the members that are there. */
export function subscriptionChange(body: UpdateWebhookEndpointBody): Partial<Subscription> {
  const { url, events, agents, description, status } = body;
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: distinct(events) }),
    ...(agents !== undefined && { agents: agents && distinct(agents) }),
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
  };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
