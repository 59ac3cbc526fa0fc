import type { Response } from 'express';
import type { WebhookDeliveries, WebhookDelivery } from '@app/events';
import { accepted } from '../http/answers.js';
import type { ListSource } from '../http/list-pages.js';
import type { ListDeliveriesQuery, WebhookDeliveryResource } from './webhook-delivery.dto.js';

export function presentDelivery(delivery: WebhookDelivery): WebhookDeliveryResource {
  return {
    id: delivery.id,
    endpoint: delivery.endpointId,
    event: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: delivery.claimedBy === null ? (delivery.nextAt?.toISOString() ?? null) : null,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    response_status: delivery.responseStatus,
    response_body: delivery.responseExcerpt,
    latency_ms: delivery.latencyMs,
    error: delivery.error,
    created_at: delivery.createdAt.toISOString(),
  };
}

/** The answer to whoever wants something sent: the delivery, and where to see what becomes of it. */
export function presentDue(response: Response, delivery: WebhookDelivery): WebhookDeliveryResource {
  const location = `/v1/webhook-endpoints/${delivery.endpointId}/deliveries/${delivery.id}`;
  return accepted(response, location, presentDelivery(delivery));
}

/** The deliveries of one endpoint that the query asks for. */
export function deliveryList(
  deliveries: WebhookDeliveries,
  workspaceId: string,
  endpointId: string,
  { status: statuses }: ListDeliveriesQuery,
): ListSource<WebhookDelivery, WebhookDeliveryResource> {
  return {
    list: `webhook-endpoints/${endpointId}/deliveries`,
    workspaceId,
    filters: { status: statuses ? [...new Set(statuses)].sort() : null },
    read: (page) => deliveries.list(workspaceId, endpointId, { statuses }, page),
    present: presentDelivery,
  };
}
