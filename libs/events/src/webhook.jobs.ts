import { defineJob } from '@app/platform/queue';

/**
 * Tells a worker that a delivery may be due. The API enqueues the job when a user requests a test or a retry. Other
 * events need no job, because Postgres notifies the workers. A duplicate job finds no due delivery. If the job is lost,
 * polling finds the delivery.
 */
export const deliverWebhook = defineJob<{ deliveryId: string }>({ name: 'webhook.deliver', queue: 'webhooks' });
