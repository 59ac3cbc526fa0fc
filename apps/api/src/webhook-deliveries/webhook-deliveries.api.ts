import { ApiSchema } from '@nestjs/swagger';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  EVENT_TYPES,
  type EventType,
  type WebhookDeliveryEntity,
} from '@app/events';
import { OneOf, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

export class ListDeliveriesQuery extends PageQuery {
  @OneOf(DELIVERY_STATUSES, {
    optional: true,
    list: true,
    description: 'Any of these; repeated or separated by commas.',
  })
  status?: DeliveryStatus[];
}

@ApiSchema({ name: 'WebhookDelivery' })
export class WebhookDeliveryResource {
  @Text({ example: 'dlv_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ example: 'whe_01kahzvk3te9d8q6f0f1v3m2sx' }) endpoint: string;
  @Text({ example: 'evt_01kahzvk3te9d8q6f0f1v3m2sx', description: 'The `webhook-id` of every attempt.' }) event: string;
  @OneOf(EVENT_TYPES) event_type: EventType;
  @OneOf(DELIVERY_STATUSES, {
    description: '`failed` is not tried again; `cancelled`: its endpoint was disabled before.',
  })
  status: DeliveryStatus;
  @Whole({ description: 'Attempts made.' }) attempts: number;
  @Timestamp({ nullable: true, description: 'Null while an attempt is under way.' }) next_attempt_at: string | null;
  @Timestamp({ nullable: true }) last_attempt_at: string | null;
  @Whole({ nullable: true, description: 'Of the last attempt; null where nobody answered.' }) response_status:
    number | null;
  @Text({ nullable: true, description: 'The first 1 024 bytes of the last answer.' }) response_body: string | null;
  @Whole({ nullable: true, description: 'Of the last attempt.' }) latency_ms: number | null;
  @Text({ nullable: true, description: 'Why the last attempt had no answer.' }) error: string | null;
  @Timestamp() created_at: string;
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

/** Where to follow the delivery. */
export function locationOf({ endpointId, id }: WebhookDeliveryEntity): string {
  return `/v1/webhook-endpoints/${endpointId}/deliveries/${id}`;
}
