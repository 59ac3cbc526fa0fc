export { EVENT_TYPES, type EventType, EventViews, presentEvent } from './recorded-event.js';
export { MAX_URL } from './endpoint-url.js';
export {
  type DeliveryRequest,
  deliverWebhook,
  MAX_RETRIED,
  WebhookDeliveriesService,
} from './webhook-deliveries.service.js';
export type { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
export { EventDeliveryModule } from './event-delivery.module.js';
export type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
export { type EndpointWithSecret, type Subscription, WebhookEndpointsService } from './webhook-endpoints.service.js';
export {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  type EndpointStatus,
} from './webhook-status.js';
export { SEALED_WEBHOOK_TABLES } from './endpoint-secrets.service.js';
export { eventsSchema } from './migrations/index.js';
export { WebhookPublisherService } from './webhook-publisher.service.js';
export { WebhookRetentionService } from './webhook-retention.service.js';
export { EventsModule } from './events.module.js';
export { DeliveryMetricsModule } from './delivery-metrics.module.js';
export { EventStore, recordEvent } from './event.store.js';
