import { Clock, lowestId } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { DeliveryOutbox } from './delivery-outbox.repository.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
const BATCH = 500;

/** Purges expired messages with their deliveries. Each worker does this; their batches may overlap. */
@Injectable()
export class WebhookRetention {
  private readonly forgetting: PeriodicTask;

  constructor(
    private readonly outbox: DeliveryOutbox,
    private readonly clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.forgetting = new PeriodicTask(clock, {
      everyMillis: HOUR_MILLIS,
      waitsFirst: true,
      work: () => this.forget(),
      onError: (error) => logger.warn({ err: error }, 'old webhook messages could not be forgotten'),
    });
  }

  start(): void {
    this.forgetting.start();
  }

  stop(): Promise<void> {
    return this.forgetting.stop();
  }

  async forget(): Promise<'again' | 'done'> {
    const before = this.clock.now().getTime() - this.config.webhookRetentionDays * DAY_MILLIS;
    return (await this.outbox.forget(lowestId('event', before), BATCH)) === BATCH ? 'again' : 'done';
  }
}
