import type { JobProcessor } from '@app/platform/queue';
import type { WebhookPublisher } from '@app/events';

/** `webhook.deliver`: the publisher finds out whether anything is due. */
export function deliverWebhookProcessor(publisher: WebhookPublisher): JobProcessor<{ deliveryId: string }> {
  return () => publisher.publishDue();
}
