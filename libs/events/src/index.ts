export { EVENT_TYPES, type EventType } from './event-types.js';
export { LONGEST_URL } from './endpoint-url.js';
export { WebhookDeliveries } from './webhook-deliveries.service.js';
export type { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
export { EventDeliveryModule } from './event-delivery.module.js';
export type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
export { type EndpointWithSecret, type Subscription, WebhookEndpoints } from './webhook-endpoints.service.js';
export {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  type EndpointStatus,
} from './webhook-status.js';
export { SEALED_WEBHOOK_TABLES } from './sealed-tables.js';
export { eventsSchema } from './migrations/index.js';
export { deliverWebhook } from './webhook.jobs.js';
export { WebhookPublisher } from './webhook-publisher.service.js';
export { WebhookRetention } from './webhook-retention.service.js';
export { EventsModule } from './events.module.js';
export { DeliveryMetricsModule } from './delivery-metrics.module.js';
export { EventLog } from './event-log.service.js';
export { EventOutbox } from './event-outbox.js';
export { EventOutboxModule } from './event-outbox.module.js';
export { presentEvent } from './event.view.js';
export { EventViews } from './event-views.js';
