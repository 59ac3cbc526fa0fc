import { Clock } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { DELIVERY_CONCURRENCY } from '@app/platform/egress';
import { Metrics } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { AttemptLog } from './attempt-log.js';
import { DeliveryLanes } from './delivery-lanes.js';
import type { ClaimedDelivery } from './delivery-outbox.repository.js';
import type { EndpointSigner } from './endpoint-signer.js';
import { FailingEndpoints } from './failing-endpoints.service.js';
import { type Attempt, WebhookSender } from './webhook-sender.service.js';

/** Contract, section 11. */
export const IN_FLIGHT_PER_ENDPOINT = 4;
/**
 * What has been claimed is this process's for so many time limits of an attempt, and may be sent in the first half of
 * that.
 */
export const LEASE_IN_TIMEOUTS = 3;

type InHand = ClaimedDelivery & { sendBefore: number; signer: EndpointSigner };

/** What this process has claimed and not yet written down: it waits in its lane, is sent, and is written down. */
@Injectable()
export class DeliveriesInHand {
  private readonly ended = new AbortController();
  private readonly lanes: DeliveryLanes<InHand>;
  private readonly byEndpoint = new Map<string, number>();
  private readonly attempts: ReturnType<typeof attemptCounter>;
  private isEmpty = (): void => undefined;
  private settled: (ofSameEndpoint: number) => void = () => undefined;
  /** How many there are. */
  size = 0;

  constructor(
    private readonly sender: WebhookSender,
    private readonly log: AttemptLog,
    private readonly failing: FailingEndpoints,
    private readonly clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
    metrics: Metrics,
  ) {
    const limits = { perEndpoint: IN_FLIGHT_PER_ENDPOINT, inAll: DELIVERY_CONCURRENCY };
    this.lanes = new DeliveryLanes(limits, (delivery) => this.deliver(delivery));
    this.attempts = attemptCounter(metrics);
  }

  /** `claimedAt`: monotonic, from before the claim was sent. */
  add(deliveries: readonly ClaimedDelivery[], claimedAt: number): void {
    const sendBefore = claimedAt + (LEASE_IN_TIMEOUTS / 2) * this.config.webhookTimeoutMillis;
    const signers = new Map<string, EndpointSigner>();
    const inHand = deliveries.map((delivery) => {
      const { endpointId } = delivery;
      const signer = signers.get(endpointId) ?? this.sender.signerFor(delivery);
      signers.set(endpointId, signer);
      this.count(endpointId, 1);
      return { ...delivery, sendBefore, signer };
    });
    this.lanes.add(inHand);
  }

  /** The listener is told whenever one has been written down, with how many of its endpoint are left. */
  onSettled(listener: (ofSameEndpoint: number) => void): void {
    this.settled = listener;
  }

  /** Whether there are so many of one endpoint. */
  hasOfOne(count: number): boolean {
    return [...this.byEndpoint.values()].some((each) => each >= count);
  }

  /** Gives back what has not begun, waits up to `millis` for the rest, and breaks that off after it. */
  async drain(millis: number): Promise<void> {
    const givenBack = this.giveBack(this.lanes.takeBackAll());
    const empty = this.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.isEmpty = resolve));
    await Promise.race([empty, this.clock.sleep(millis)]);
    this.ended.abort();
    await Promise.all([this.log.close(), givenBack]);
  }

  private async deliver(delivery: InHand): Promise<void> {
    if (this.clock.monotonicMillis() >= delivery.sendBefore) {
      this.count(delivery.endpointId, -1);
      return;
    }
    const attempt = await this.sender.send(delivery, delivery.signer, this.ended.signal);
    // The request is over: its place is free, while what became of it is being written down.
    void this.settle(delivery, attempt);
  }

  private async settle({ endpointId, workspaceId }: InHand, attempt: Attempt | undefined): Promise<void> {
    if (attempt) {
      this.attempts.inc({ outcome: attempt.record.outcome });
      // The others of an endpoint that fails wait where every worker finds them when it is well again.
      const returned = attempt.record.outcome === 'delivered' ? [] : this.lanes.takeBack(endpointId);
      if (attempt.isGone) await this.failing.disable(workspaceId, endpointId, 'gone');
      await Promise.all([this.log.add(attempt.record), this.giveBack(returned)]);
    }
    this.count(endpointId, -1);
    this.settled(this.byEndpoint.get(endpointId) ?? 0);
  }

  private async giveBack(deliveries: readonly InHand[]): Promise<void> {
    await Promise.all(deliveries.map(({ id }) => this.log.add({ id, outcome: 'returned' })));
    for (const { endpointId } of deliveries) this.count(endpointId, -1);
  }

  private count(endpointId: string, by: 1 | -1): void {
    const count = (this.byEndpoint.get(endpointId) ?? 0) + by;
    if (count === 0) this.byEndpoint.delete(endpointId);
    else this.byEndpoint.set(endpointId, count);
    this.size += by;
    if (this.size === 0) this.isEmpty();
  }
}

function attemptCounter(metrics: Metrics) {
  return metrics.counter({
    name: 'aas_webhook_attempts_total',
    help: 'Attempts to deliver webhooks by outcome: delivered, retry (tried again later), failed (not tried again).',
    labels: ['outcome'],
  });
}
