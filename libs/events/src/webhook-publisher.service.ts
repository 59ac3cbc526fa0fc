import { Clock } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { Notifications } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { type WorkerConfig, workerConfig } from '@app/platform/periodic';
import { Inject, Injectable } from '@nestjs/common';
import { DeliveriesInHand, IN_FLIGHT_PER_ENDPOINT, LEASE_IN_TIMEOUTS } from './deliveries-in-hand.js';
import { DeliveryOutbox } from './delivery-outbox.repository.js';

const BATCH = 128;
/**
 * Claimed deliveries of one endpoint: more than may be under way, so that the next request does not wait for a claim.
 */
const DEPTH = 32;
const HAND = 512;
/** Deliveries of disabled or deleted endpoints that one round cancels. */
const UNWANTED = 1_000;

/**
 * Claims due deliveries and has them sent. Each worker does this; deliveries of a dead worker are claimed again after
 * their lease. It looks after a NOTIFY of Postgres, after a job `webhook.deliver`, and at intervals. An emergency stop
 * does not stop deliveries.
 */
@Injectable()
export class WebhookPublisher {
  private readonly polling: PeriodicTask;
  private looking: Promise<void> | undefined;
  private isAskedAgain = false;
  /** Whether the last claim left due deliveries because a limit was reached. */
  private leftSome = false;
  private listening: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly outbox: DeliveryOutbox,
    private readonly inHand: DeliveriesInHand,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
    @Inject(workerConfig.KEY) { pollMillis }: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.polling = new PeriodicTask(clock, {
      everyMillis: pollMillis,
      work: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'deliveries of disabled endpoints could not be given up'),
    });
  }

  start(): void {
    this.inHand.onSettled((ofSameEndpoint) => {
      if (this.leftSome && ofSameEndpoint <= DEPTH / 2) void this.publishDue();
    });
    const listening = {
      handlers: { webhook_deliveries: () => void this.publishDue() },
      onHearing: () => void this.publishDue(),
      onDeaf: (cause: unknown) => this.logger.debug({ err: cause }, 'due webhooks are found by polling'),
    };
    this.listening = this.notifications.listen(listening, this.polling.stopping);
    this.polling.start();
  }

  /** Stops claiming, and waits up to `drainMillis` for requests under way. */
  async stop(drainMillis: number): Promise<void> {
    await Promise.all([this.polling.stop(), this.listening, this.looking]);
    await this.inHand.drain(drainMillis);
  }

  /** Resolves when due deliveries have been claimed, before they are sent. Never rejects. */
  publishDue(): Promise<void> {
    this.isAskedAgain = true;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async look(): Promise<void> {
    try {
      while (this.isAskedAgain && !this.polling.stopping.aborted) {
        this.isAskedAgain = false;
        await this.claim();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'due webhooks could not be claimed; they are looked for again');
    }
  }

  private async claim(): Promise<void> {
    const limit = Math.min(BATCH, HAND - this.inHand.size);
    this.leftSome = limit <= 0;
    if (this.leftSome) return;
    const claimedAt = this.clock.monotonicMillis();
    const leaseMillis = LEASE_IN_TIMEOUTS * this.config.webhookTimeoutMillis;
    const settings = { limit, leaseMillis, inFlight: IN_FLIGHT_PER_ENDPOINT, depth: DEPTH };
    const claimed = await this.outbox.claim(settings);
    this.inHand.add(claimed, claimedAt);
    this.leftSome = this.inHand.hasOfOne(DEPTH);
    if (claimed.length === limit) this.isAskedAgain = true;
  }

  private async round(): Promise<void> {
    await this.publishDue();
    await this.outbox.cancelUnwanted(UNWANTED);
  }
}
