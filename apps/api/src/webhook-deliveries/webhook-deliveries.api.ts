import { ApiSchema } from '@nestjs/swagger';
import {
  DELIVERY_STATUSES,
  type DeliveryRequest,
  type DeliveryStatus,
  EVENT_TYPES,
  type EventType,
  type WebhookDeliveryEntity,
} from '@app/events';
import { Field, Id, Nested, OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

export class ListDeliveriesQuery extends PageQuery {
  @OneOf(DELIVERY_STATUSES, {
    optional: true,
    list: true,
    description: 'Statuses to list. Repeat the parameter or separate statuses with commas.',
  })
  status?: DeliveryStatus[];
}

@ApiSchema({ name: 'WebhookDelivery', description: 'The delivery of one event to one endpoint.' })
export class WebhookDeliveryResource {
  @Id('delivery') id: string;
  @Id('webhookEndpoint') endpoint: string;
  @Id('event', { description: 'Id of the event, which is the `webhook-id` of each attempt.' }) event: string;
  @OneOf(EVENT_TYPES, { description: 'Type of the event.' }) event_type: EventType;
  @OneOf(DELIVERY_STATUSES, {
    description:
      'Status. `pending`: an attempt follows or is in progress. `failed`: all attempts failed, or the endpoint returned 410. `cancelled`: the endpoint was disabled before the delivery succeeded.',
    example: 'delivered',
  })
  status: DeliveryStatus;
  @Whole({ description: 'Number of attempts.', example: 1 }) attempts: number;
  @Timestamp({
    nullable: true,
    description: 'Time of the next attempt; null if none follows or one is in progress.',
    example: null,
  })
  next_attempt_at: string | null;
  @Timestamp({ nullable: true, description: 'Time of the last attempt; null before the first attempt.' })
  last_attempt_at: string | null;
  @Whole({ nullable: true, description: 'HTTP status of the last attempt; null without a response.', example: 200 })
  response_status: number | null;
  @Text({
    nullable: true,
    description: 'First 1,024 bytes of the last response; null without a response.',
    example: 'ok',
  })
  response_body: string | null;
  @Whole({
    nullable: true,
    description: 'Duration of the last attempt in milliseconds; null before the first attempt.',
    example: 84,
  })
  latency_ms: number | null;
  @Text({
    nullable: true,
    description: 'Reason why the last attempt had no response; null if it had one.',
    example: null,
  })
  error: string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
}

@ApiSchema({ name: 'DeliveryRequest', description: 'The request that each attempt sends.' })
class DeliveryRequestResource {
  @Text({ description: 'Method.', example: 'POST' }) method: string;
  @Text({ description: 'Address of the endpoint.', example: 'https://example.com/events' }) url: string;
  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Headers, without timestamp and signature.',
    example: { 'content-type': 'application/json' },
  })
  headers: Record<string, string>;
  @Text({ description: 'Body: the JSON text of the message.', example: '{"id":"evt_01kahzvk3te9d8q6f0f1v3m2sx"}' })
  body: string;
}

@ApiSchema({ name: 'WebhookDeliveryDetails', description: 'A delivery with its request.' })
export class WebhookDeliveryDetailsResource extends WebhookDeliveryResource {
  @Nested(DeliveryRequestResource, {
    nullable: true,
    description: 'The request; null for an unseen agent.',
  })
  request: DeliveryRequestResource | null;
}

@ApiSchema({ name: 'RetriedDeliveries', description: 'Retried deliveries.' })
export class RetriedDeliveriesResource {
  @Whole({ description: 'Number of deliveries that are sent again now.', example: 54 }) retried: number;
}

export function presentDeliveryDetails(
  delivery: WebhookDeliveryEntity,
  request: DeliveryRequest | null,
): WebhookDeliveryDetailsResource {
  return Object.assign(presentDelivery(delivery), { request: request && { method: 'POST', ...request } });
}

export function presentDelivery(delivery: WebhookDeliveryEntity): WebhookDeliveryResource {
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

export function locationOf({ endpointId, id }: WebhookDeliveryEntity): string {
  return `/v1/webhook-endpoints/${endpointId}/deliveries/${id}`;
}
