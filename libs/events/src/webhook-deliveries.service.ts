import { DomainError, invariant, isId, notFound, type Page, type PageRequest } from '@app/kernel';
import { defineJob, JobQueueService } from '@app/platform/queue';
import {
  agentsOf,
  type AuditEntry,
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { recordEvent } from './event.store.js';
import { EventViews, messageBody, messageHeaders } from './recorded-event.js';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import type { DeliveryFilter } from './webhook-status.js';

/**
 * Other events need no job, because Postgres notifies the workers. A duplicate job finds no due delivery. If the job is
 * lost, polling finds the delivery.
 */
export const deliverWebhook = defineJob<{ deliveryId: string }>({ name: 'webhook.deliver', queue: 'webhooks' });

export const MAX_RETRIED = 1_000;

export interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly requests: IdempotencyStore,
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly views: EventViews,
    private readonly queue: JobQueueService,
    private readonly audit: AuditLogService,
  ) {}

  async list(
    workspaceId: string,
    endpointId: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<WebhookDeliveryEntity>> {
    await this.endpoints.get(workspaceId, endpointId);
    return this.deliveries.page({ workspaceId, endpointId }, filter, page);
  }

  async get(workspaceId: string, endpointId: string, deliveryId: string): Promise<WebhookDeliveryEntity> {
    await this.endpoints.get(workspaceId, endpointId);
    const found = isId('delivery', deliveryId)
      ? await this.deliveries.find({ workspaceId, endpointId }, deliveryId)
      : null;
    if (!found) throw notFound('delivery', deliveryId);
    return found;
  }

  /**
   * Returns the request that each attempt repeats, without its timestamp and signature. Null if it concerns an agent
   * that does not exist for the caller.
   */
  async request(reader: Principal, delivery: WebhookDeliveryEntity): Promise<DeliveryRequest | null> {
    const { url } = await this.endpoints.get(delivery.workspaceId, delivery.endpointId);
    const message = await this.deliveries.message(delivery, agentsOf(reader));
    return message && { url, headers: messageHeaders(message.id), body: messageBody(this.views, message) };
  }

  /**
   * Makes at most {@link MAX_RETRIED} deliveries due that failed or wait for another attempt.
   * @returns how many deliveries are now due; if it is {@link MAX_RETRIED}, further ones may be left
   */
  async retryAll(actor: Principal, endpointId: string, claim?: IdempotencyClaim): Promise<OnceOnly<number>> {
    const { workspaceId } = actor;
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      assertEnabled(await this.endpoints.get(workspaceId, endpointId, transaction));
      const count = await this.deliveries.makeAllDue({ workspaceId, endpointId }, MAX_RETRIED, transaction);
      if (count === 0) return 0;
      const entry: AuditEntry = { action: 'webhook.retry', target: endpointId, detail: { deliveries: count } };
      await this.audit.record(actor, entry, transaction);
      transaction.afterCommit(() => this.queue.enqueue(deliverWebhook, { deliveryId: endpointId }));
      return count;
    });
  }

  /** Sends a `webhook.test` event to this endpoint only, even if the endpoint has not subscribed to it. */
  async test(actor: Principal, endpointId: string, claim?: IdempotencyClaim): Promise<OnceOnly<WebhookDeliveryEntity>> {
    const { workspaceId } = actor;
    const endpoint = await this.endpoints.get(workspaceId, endpointId);
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      assertEnabled(endpoint);
      const data = { endpoint: endpointId, requested_by: actor.email };
      const event = await recordEvent(workspaceId, { type: 'webhook.test', data }, transaction);
      await this.audit.record(actor, { action: 'webhook.test', target: endpointId, detail: {} }, transaction);
      const [delivery] = await this.deliveries.ofNewEvent(workspaceId, event, transaction);
      if (!delivery) throw disabled(endpointId);
      transaction.afterCommit(() => this.queue.enqueue(deliverWebhook, { deliveryId: delivery.id }));
      return delivery;
    });
  }

  /** If a sender has claimed the delivery, nothing changes. */
  async retry(
    actor: Principal,
    endpointId: string,
    deliveryId: string,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<WebhookDeliveryEntity>> {
    const { workspaceId } = actor;
    const owner = { workspaceId, endpointId };
    const endpoint = await this.endpoints.get(workspaceId, endpointId);
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      assertEnabled(endpoint);
      const before = isId('delivery', deliveryId) ? await this.deliveries.find(owner, deliveryId, transaction) : null;
      if (!before) throw notFound('delivery', deliveryId);
      if (before.claimedBy !== null) return before;
      await this.deliveries.makeDue(before, transaction);
      const entry: AuditEntry = { action: 'webhook.retry', target: deliveryId, detail: { endpoint: endpointId } };
      await this.audit.record(actor, entry, transaction);
      transaction.afterCommit(() => this.queue.enqueue(deliverWebhook, { deliveryId }));
      const due = await this.deliveries.find(owner, deliveryId, transaction);
      invariant(due, 'a delivery that is locked can be read');
      return due;
    });
  }
}

function assertEnabled({ id, status }: WebhookEndpointEntity): void {
  if (status !== 'enabled') throw disabled(id);
}

function disabled(endpointId: string): DomainError {
  return new DomainError(
    'endpoint_disabled',
    `The endpoint ${endpointId} is disabled and receives no deliveries. Enable it first.`,
  );
}
