import { Clock } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { DueWorkService, Notifications } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { ClaimedDeliveriesService, IN_FLIGHT_PER_ENDPOINT, LEASE_IN_TIMEOUTS } from './claimed-deliveries.service.js';
import { DeliveryOutboxRepository, DUE_DELIVERIES } from './delivery-outbox.repository.js';

const BATCH = 128;
/** It exceeds the number of concurrent requests, so that the next request need not wait for a claim. */
const MAX_CLAIMED_OF_ONE = 32;
const MAX_CLAIMED = 512;
const UNWANTED = 1_000;

/**
 * When a worker dies, its claims expire, and another worker claims the deliveries. The publisher claims after a NOTIFY
 * of Postgres, after a `webhook.deliver` job, and when a delivery is due. An emergency stop does not stop deliveries.
 */
@Injectable()
export class WebhookPublisherService {
  private readonly polling: PeriodicTask;
  private looking: Promise<void> | undefined;
  private isRequestedAgain = false;
  /** True if an endpoint reached its limit at the last claim, which may therefore have left due deliveries. */
  private leftSome = false;
  private listening: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly outbox: DeliveryOutboxRepository,
    private readonly claimed: ClaimedDeliveriesService,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
    dueWork: DueWorkService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.polling = new PeriodicTask(clock, {
      pause: dueWork.untilDue(DUE_DELIVERIES),
      work: () => this.round(),
      onError: (error) =>
        logger.warn({ err: error }, 'webhooks: cancelling deliveries of disabled or deleted endpoints failed'),
    });
  }

  start(): void {
    this.claimed.onRecorded((ofSameEndpoint) => {
      if (this.leftSome && ofSameEndpoint <= MAX_CLAIMED_OF_ONE / 2) void this.publishDue();
    });
    const listening = {
      handlers: { webhook_deliveries: () => void this.publishDue() },
      onConnected: () => void this.publishDue(),
      onDisconnected: (cause: unknown) =>
        this.logger.debug({ err: cause }, 'webhooks: listening for notifications failed, polling continues'),
    };
    this.listening = this.notifications.listen(listening, this.polling.stopping);
    this.polling.start();
  }

  async stop(drainMillis: number): Promise<void> {
    await Promise.all([this.polling.stop(), this.listening, this.looking]);
    await this.claimed.drain(drainMillis);
  }

  /** Never rejects. */
  publishDue(): Promise<void> {
    this.isRequestedAgain = true;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async look(): Promise<void> {
    try {
      while (this.isRequestedAgain && !this.polling.stopping.aborted) {
        this.isRequestedAgain = false;
        await this.claim();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'webhooks: claiming due deliveries failed');
    }
  }

  private async claim(): Promise<void> {
    const limit = Math.min(BATCH, MAX_CLAIMED - this.claimed.size);
    this.leftSome = limit <= 0;
    if (this.leftSome) return;
    const claimedAt = this.clock.monotonicMillis();
    const leaseMillis = LEASE_IN_TIMEOUTS * this.config.webhookTimeoutMillis;
    const settings = { limit, leaseMillis, inFlight: IN_FLIGHT_PER_ENDPOINT, depth: MAX_CLAIMED_OF_ONE };
    const deliveries = await this.outbox.claim(settings);
    this.claimed.add(deliveries, claimedAt);
    this.leftSome = this.claimed.hasForOneEndpoint(MAX_CLAIMED_OF_ONE);
    if (deliveries.length === limit) this.isRequestedAgain = true;
  }

  private async round(): Promise<void> {
    await this.publishDue();
    await this.outbox.cancelUnwanted(UNWANTED);
  }
}
