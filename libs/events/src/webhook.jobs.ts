import { defineJob } from '@app/platform/queue';

/**
 * A delivery may be due. Rung by the api when somebody wants one to be sent (again). Events do not ring: the database
 * tells the publishers of every worker about the deliveries that their transactions owe. Twice: the second finds
 * nothing that is due. Never: publishers find it by the time when it is due.
 */
export const deliverWebhook = defineJob<{ deliveryId: string }>({ name: 'webhook.deliver', queue: 'webhooks' });
