import { defineJob } from '@app/platform/queue';

/**
 * A delivery may be due. The API enqueues it after a test or a retry was requested. Events need no job, because
 * Postgres notifies the workers. A duplicate finds nothing due. If the job is lost, polling finds the delivery.
 */
export const deliverWebhook = defineJob<{ deliveryId: string }>({ name: 'webhook.deliver', queue: 'webhooks' });
