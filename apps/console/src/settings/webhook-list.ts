import type { aas } from '../data/api.js';

export type Endpoint = Awaited<ReturnType<typeof aas.webhookEndpoints.get>>;
export type Delivery = Awaited<ReturnType<typeof aas.webhookDeliveries.retry>>;
export type EventType = Endpoint['events'][number];

export const WEBHOOKS = ['webhooks'] as const;
export const WEBHOOK_LIST = [...WEBHOOKS, 'list'] as const;

/**
 * All event types. The type of this object comes from the OpenAPI document, so a missing event type is a compile error.
 */
export const EVENT_TYPES = Object.keys({
  'run.completed': true,
  'run.approval_requested': true,
  'run.handed_off': true,
  'approval.decided': true,
  'approval.expired': true,
  'agent.promoted': true,
  'evaluation.completed': true,
  'source.sync_completed': true,
  'source.sync_failed': true,
  'workspace.stopped': true,
  'workspace.resumed': true,
  'webhook.test': true,
  'webhook.failing': true,
} satisfies Record<EventType, true>) as EventType[];
