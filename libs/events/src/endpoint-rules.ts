import { DomainError } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { EgressClient } from '@app/platform/egress';
import { Injectable } from '@nestjs/common';
import { assertDeliverable } from './endpoint-url.js';
import { WebhookEndpointRepository } from './webhook-endpoint.repository.js';

/** Endpoints per workspace. Each event is matched against all of them. */
const MAX_ENDPOINTS = 100;

@Injectable()
export class EndpointRules {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly egress: EgressClient,
  ) {}

  /** @throws DomainError `invalid_request` */
  assertUrl(url: string): Promise<void> {
    return assertDeliverable(url, this.egress.guard);
  }

  /**
   * Locks: no other endpoint is created in the workspace until the transaction ends.
   * @throws DomainError `limit_reached`
   */
  async assertRoom(workspaceId: string, transaction: Transaction): Promise<void> {
    if ((await this.endpoints.countLocked(workspaceId, transaction)) < MAX_ENDPOINTS) return;
    throw new DomainError(
      'limit_reached',
      `A workspace may have ${MAX_ENDPOINTS} webhook endpoints. Delete one to make room.`,
    );
  }
}
