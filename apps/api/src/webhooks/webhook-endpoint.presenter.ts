import type { Response } from 'express';
import type { OnceOnly } from '@app/workspace';
import type { EndpointWithSecret, WebhookEndpoint } from '@app/events';
import { answered, created, markReplayed } from '../http/answers.js';
import type { NewWebhookEndpointResource, WebhookEndpointResource } from './webhook-endpoint.dto.js';

export function presentEndpoint(endpoint: WebhookEndpoint): WebhookEndpointResource {
  const { id, url, events, agents, description, status } = endpoint;
  return {
    id,
    url,
    events,
    agents,
    description,
    status,
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    previous_secret_expires_at: endpoint.previousSecretExpiresAt?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

/** With the secret, for the only time. */
function presentEndpointWithSecret({ endpoint, secret }: EndpointWithSecret): NewWebhookEndpointResource {
  return Object.assign(presentEndpoint(endpoint), { secret });
}

export function presentRotation(response: Response, rotated: OnceOnly<EndpointWithSecret>): NewWebhookEndpointResource {
  return presentEndpointWithSecret(answered(response, rotated));
}

/** The answer to a creation: the endpoint, and whether this is a repeated answer. */
export function presentCreation(
  response: Response,
  made: EndpointWithSecret & { replayed: boolean },
): NewWebhookEndpointResource {
  if (made.replayed) markReplayed(response);
  return created(response, `/v1/webhook-endpoints/${made.endpoint.id}`, presentEndpointWithSecret(made));
}
