import { Clock } from '@app/kernel';
import { LOGGER, type Logger, Metrics } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';

const MAX_AGE_MILLIS = 5_000;
const MOST = 10_000;

/** Reads the database at most once in five seconds. */
@Injectable()
export class PendingDeliveriesService {
  private readAt = -Infinity;

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const help = `Pending webhook deliveries, including retries, counted up to ${MOST}.`;
    metrics.gauge({ name: 'aas_webhook_pending_deliveries', help }, async (gauge) => {
      const count = await this.count();
      if (count !== undefined) gauge.set(count);
    });
  }

  private async count(): Promise<number | undefined> {
    const now = this.clock.monotonicMillis();
    if (now - this.readAt < MAX_AGE_MILLIS) return undefined;
    this.readAt = now;
    try {
      return await this.deliveries.countPending(MOST);
    } catch (error) {
      this.logger.warn({ err: error }, 'webhooks: counting pending deliveries failed');
      return undefined;
    }
  }
}
