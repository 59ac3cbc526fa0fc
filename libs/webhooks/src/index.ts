/**
 * Webhooks: endpoints of subscribers, the deliveries that events owe them, and sending those. The deliveries themselves are
 * made in the transaction that writes an event (libs/runs/src/sql/owe_deliveries.sql).
 */
export { EVENT_TYPES, type EventType } from './event-types.js';
export { LONGEST_URL } from './endpoint-url.js';
export { WebhookDeliveries } from './webhook-deliveries.service.js';
export type { WebhookDelivery } from './webhook-delivery.entity.js';
export { WebhookDeliveryModule } from './webhook-delivery.module.js';
export type { WebhookEndpoint } from './webhook-endpoint.entity.js';
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
export { webhookFunctions } from './webhook-functions.js';
export { deliverWebhook } from './webhook.jobs.js';
export { WebhookPublisher } from './webhook-publisher.service.js';
export { WebhookRetention } from './webhook-retention.service.js';
export { WebhooksModule } from './webhooks.module.js';
export { WebhookMetricsModule } from './webhook-metrics.module.js';
