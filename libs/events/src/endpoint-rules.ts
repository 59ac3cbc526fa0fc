import { DomainError } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import type { Transaction } from '@app/platform/database';
import { EgressClient } from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import { assertDeliverable } from './endpoint-url.js';
import { WebhookEndpointRepository } from './webhook-endpoint.repository.js';

/** What the operator allows endpoints to be. */
@Injectable()
export class EndpointRules {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly egress: EgressClient,
    @Inject(ENV) private readonly env: Pick<Env, 'maxWebhookEndpoints'>,
  ) {}

  /** @throws DomainError `invalid_request` */
  assertUrl(url: string): Promise<void> {
    return assertDeliverable(url, this.egress.guard);
  }

  /** @throws DomainError `limit_reached`; otherwise there is room until the transaction ends */
  async assertRoom(workspaceId: string, transaction: Transaction): Promise<void> {
    const { maxWebhookEndpoints: most } = this.env;
    if ((await this.endpoints.countLocked(workspaceId, transaction)) < most) return;
    throw new DomainError('limit_reached', `A workspace may have ${most} webhook endpoints. Delete one to make room.`);
  }
}
