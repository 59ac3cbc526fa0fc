import { Clock, lowestId } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { DeliveryOutboxRepository } from './delivery-outbox.repository.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
const BATCH = 500;

/** Every worker runs it, so the batches of two workers may overlap. */
@Injectable()
export class WebhookRetentionService extends PeriodicTask {
  constructor(
    private readonly outbox: DeliveryOutboxRepository,
    clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(clock, {
      everyMillis: HOUR_MILLIS,
      waitsFirst: true,
      work: () => this.purgeExpired(),
      onError: (error) => logger.warn({ err: error }, 'retention: purging webhook messages failed'),
    });
  }

  async purgeExpired(): Promise<'again' | 'done'> {
    const before = this.clock.now().getTime() - this.config.webhookRetentionDays * DAY_MILLIS;
    return (await this.outbox.purgeMessages(lowestId('event', before), BATCH)) === BATCH ? 'again' : 'done';
  }
}
