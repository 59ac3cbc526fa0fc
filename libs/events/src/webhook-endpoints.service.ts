import { DomainError, invariant, isId, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { newWebhookSecret } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { EgressClient } from '@app/platform/egress';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { EndpointSecretsService } from './endpoint-secrets.service.js';
import { assertDeliverable } from './endpoint-url.js';
import type { EventType } from './recorded-event.js';
import type { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpointRepository } from './webhook-endpoint.repository.js';
import type { EndpointStatus } from './webhook-status.js';

/** If `agents` is null, the endpoint receives the events of all agents. */
export interface Subscription {
  url: string;
  description: string;
  events: EventType[];
  agents: string[] | null;
  status: EndpointStatus;
}

/** `secret` is returned only once: no later request returns it. */
export interface EndpointWithSecret {
  endpoint: WebhookEndpointEntity;
  secret: string;
}

/** It is limited because each event is matched against all of them. */
const MAX_ENDPOINTS = 100;

@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: EndpointSecretsService,
    private readonly egress: EgressClient,
    private readonly audit: AuditLogService,
  ) {}

  /** @param agents selects only the endpoints that receive events of no other agent; null selects all endpoints */
  async list(
    workspaceId: string,
    page: PageRequest,
    agents: readonly string[] | null = null,
  ): Promise<Page<WebhookEndpointEntity>> {
    return this.endpoints.page(workspaceId, page, agents);
  }

  /**
   * If a transaction is given, locks the endpoint until the transaction ends.
   * @throws DomainError `not_found`, also for a malformed id and for an endpoint of another workspace
   */
  async get(workspaceId: string, endpointId: string, transaction?: Transaction): Promise<WebhookEndpointEntity> {
    return this.found(workspaceId, endpointId, transaction);
  }

  /**
   * @throws DomainError `invalid_request` for the URL, `limit_reached`, and what {@link IdempotencyStore.runOnce}
   * throws
   */
  async create(
    actor: Principal,
    subscription: Subscription,
    claim?: IdempotencyClaim,
  ): Promise<EndpointWithSecret & { replayed: boolean }> {
    await assertDeliverable(subscription.url, this.egress.guard);
    const { workspaceId } = actor;
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      await this.assertRoom(workspaceId, transaction);
      const id = newId('webhookEndpoint');
      const secret = newWebhookSecret();
      const sealed = this.secrets.seal(secret, { workspaceId, endpointId: id });
      const disabledReason = subscription.status === 'enabled' ? null : 'requested';
      await this.endpoints.insert({ id, workspaceId, ...subscription, disabledReason, secret: sealed }, transaction);
      const { url, events } = subscription;
      await this.audit.record(actor, { action: 'webhook.create', target: id, detail: { url, events } }, transaction);
      const endpoint = await this.endpoints.find(workspaceId, id, transaction);
      invariant(endpoint, 'an endpoint that was inserted can be read');
      return { endpoint, secret };
    });
    return { ...result, replayed };
  }

  /**
   * A change of the status clears `failingSince`. After an endpoint is disabled, its pending deliveries are cancelled.
   * @throws DomainError `not_found`, `invalid_request` for the URL
   */
  async update(actor: Principal, endpointId: string, change: Partial<Subscription>): Promise<WebhookEndpointEntity> {
    const { workspaceId } = actor;
    if (change.url !== undefined) await assertDeliverable(change.url, this.egress.guard);
    return this.transactions.run(async (transaction) => {
      const before = await this.found(workspaceId, endpointId, transaction);
      const turned = change.status !== undefined && change.status !== before.status;
      const status = turned && {
        disabledReason: change.status === 'enabled' ? null : ('requested' as const),
        failingSince: null,
      };
      await this.endpoints.change(workspaceId, endpointId, { ...change, ...status }, transaction);
      await this.audit.record(
        actor,
        { action: 'webhook.update', target: endpointId, detail: { ...change } },
        transaction,
      );
      return this.found(workspaceId, endpointId, transaction);
    });
  }

  /**
   * For `graceSeconds`, messages are also signed with the previous secret, and with older secrets until they expire. If
   * `graceSeconds` is 0, all earlier secrets become invalid at once.
   * @throws DomainError `not_found`, and what {@link IdempotencyStore.runOnce} throws
   */
  async rotate(
    actor: Principal,
    endpointId: string,
    graceSeconds: number,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<EndpointWithSecret>> {
    const { workspaceId } = actor;
    const owner = { workspaceId, endpointId };
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const before = await this.found(workspaceId, endpointId, transaction);
      const secret = newWebhookSecret();
      const previous = this.secrets.seal(this.secrets.open(before.secret, owner), owner, 'previous_secret');
      const former = before.previousSecret && this.secrets.sealAsFormer(before.previousSecret, owner);
      const sealed = { secret: this.secrets.seal(secret, owner), previous, former };
      await this.endpoints.replaceSecret(before, sealed, graceSeconds, transaction);
      const detail = { grace_seconds: graceSeconds };
      await this.audit.record(actor, { action: 'webhook.rotate', target: endpointId, detail }, transaction);
      return { endpoint: await this.found(workspaceId, endpointId, transaction), secret };
    });
  }

  /**
   * Deletes the endpoint. Its pending deliveries are cancelled.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, endpointId: string): Promise<void> {
    await this.transactions.run(async (transaction) => {
      const { url } = await this.found(actor.workspaceId, endpointId, transaction);
      await this.endpoints.delete(actor.workspaceId, endpointId, transaction);
      await this.audit.record(actor, { action: 'webhook.delete', target: endpointId, detail: { url } }, transaction);
    });
  }

  /** Until the transaction ends, no other transaction can create an endpoint in the workspace. */
  private async assertRoom(workspaceId: string, transaction: Transaction): Promise<void> {
    if ((await this.endpoints.countLocked(workspaceId, transaction)) < MAX_ENDPOINTS) return;
    throw new DomainError(
      'limit_reached',
      `The workspace already has the maximum of ${MAX_ENDPOINTS} webhook endpoints. Delete an endpoint first.`,
    );
  }

  private async found(workspaceId: string, id: string, transaction?: Transaction): Promise<WebhookEndpointEntity> {
    const endpoint = isId('webhookEndpoint', id) ? await this.endpoints.find(workspaceId, id, transaction) : null;
    if (!endpoint) throw notFound('webhook endpoint', id);
    return endpoint;
  }
}
