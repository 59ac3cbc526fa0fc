import { Clock } from '@app/kernel';
import { type WebhooksConfig, webhooksConfig } from './webhooks.config.js';
import { DELIVERY_CONCURRENCY } from '@app/platform/egress';
import { Metrics } from '@app/platform/observability';
import { Inject, Injectable } from '@nestjs/common';
import { AttemptRecorderService } from './attempt-recorder.service.js';
import { DeliveryLanes } from './delivery-lanes.js';
import type { ClaimedDelivery } from './delivery-outbox.repository.js';
import type { EndpointSigner } from './endpoint-signer.js';
import { FailingEndpointsService } from './failing-endpoints.service.js';
import { type Attempt, WebhookSenderService } from './webhook-sender.service.js';

export const IN_FLIGHT_PER_ENDPOINT = 4;
/** The process starts to send a claimed delivery only in the first half of this time. */
export const LEASE_IN_TIMEOUTS = 3;

type WaitingDelivery = ClaimedDelivery & { sendBefore: number; signer: EndpointSigner };

/** Queues and sends the deliveries that this process has claimed. */
@Injectable()
export class ClaimedDeliveriesService {
  private readonly ended = new AbortController();
  private readonly lanes: DeliveryLanes<WaitingDelivery>;
  private readonly byEndpoint = new Map<string, number>();
  private readonly attempts: ReturnType<typeof attemptCounter>;
  private isEmpty = (): void => undefined;
  private settled: (ofSameEndpoint: number) => void = () => undefined;
  size = 0;

  constructor(
    private readonly sender: WebhookSenderService,
    private readonly log: AttemptRecorderService,
    private readonly failing: FailingEndpointsService,
    private readonly clock: Clock,
    @Inject(webhooksConfig.KEY) private readonly config: WebhooksConfig,
    metrics: Metrics,
  ) {
    const limits = { perEndpoint: IN_FLIGHT_PER_ENDPOINT, inAll: DELIVERY_CONCURRENCY };
    this.lanes = new DeliveryLanes(limits, (delivery) => this.deliver(delivery));
    this.attempts = attemptCounter(metrics);
  }

  /** @param claimedAt time of the monotonic clock before the claim was sent to Postgres */
  add(deliveries: readonly ClaimedDelivery[], claimedAt: number): void {
    const sendBefore = claimedAt + (LEASE_IN_TIMEOUTS / 2) * this.config.webhookTimeoutMillis;
    const signers = new Map<string, EndpointSigner>();
    const waiting = deliveries.map((delivery) => {
      const { endpointId } = delivery;
      const signer = signers.get(endpointId) ?? this.sender.signerFor(delivery);
      signers.set(endpointId, signer);
      this.count(endpointId, 1);
      return { ...delivery, sendBefore, signer };
    });
    this.lanes.add(waiting);
  }

  /** `ofSameEndpoint` is the number of deliveries of the same endpoint that this process still has claimed. */
  onRecorded(listener: (ofSameEndpoint: number) => void): void {
    this.settled = listener;
  }

  hasForOneEndpoint(count: number): boolean {
    return [...this.byEndpoint.values()].some((each) => each >= count);
  }

  async drain(millis: number): Promise<void> {
    const returned = this.returnUnsent(this.lanes.takeBackAll());
    const empty = this.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.isEmpty = resolve));
    await Promise.race([empty, this.clock.sleep(millis)]);
    this.ended.abort();
    await Promise.all([this.log.close(), returned]);
  }

  private async deliver(delivery: WaitingDelivery): Promise<void> {
    if (this.clock.monotonicMillis() >= delivery.sendBefore) {
      this.count(delivery.endpointId, -1);
      return;
    }
    const attempt = await this.sender.send(delivery, delivery.signer, this.ended.signal);
    // Not awaited, so that the next request to the endpoint does not wait until the result is recorded.
    void this.settle(delivery, attempt);
  }

  private async settle({ endpointId, workspaceId }: WaitingDelivery, attempt: Attempt | undefined): Promise<void> {
    if (attempt) {
      this.attempts.inc({ outcome: attempt.record.outcome });
      const returned = attempt.record.outcome === 'delivered' ? [] : this.lanes.takeBack(endpointId);
      if (attempt.isGone) await this.failing.disable(workspaceId, endpointId, 'gone');
      await Promise.all([this.log.add(attempt.record), this.returnUnsent(returned)]);
    }
    this.count(endpointId, -1);
    this.settled(this.byEndpoint.get(endpointId) ?? 0);
  }

  private async returnUnsent(deliveries: readonly WaitingDelivery[]): Promise<void> {
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
    help: 'Webhook delivery attempts by outcome: delivered, retry (retried later), failed (not retried).',
    labels: ['outcome'],
  });
}
