import { Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { type EndpointWithSecret, type WebhookEndpointEntity, WebhookEndpointsService } from '@app/events';
import { DomainError } from '@app/kernel';
import type { Principal } from '@app/workspace';
import type { ClaimOf } from '../http/request-decorators.js';
import {
  CreateWebhookEndpointBody,
  newSubscription,
  subscriptionChange,
  UpdateWebhookEndpointBody,
} from './webhook-endpoints.api.js';

/**
 * Creates and changes the subscriptions of event endpoints. It also checks that the agents of a subscription exist,
 * because the events lib cannot access agents. Without this check, an endpoint with a mistyped agent id would receive
 * no events, and no error would show why.
 */
@Injectable()
export class WebhookSubscriptionsService {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly agents: AgentsService,
  ) {}

  /**
   * @throws DomainError `unknown_reference` if an agent does not exist, and the errors of
   * {@link WebhookEndpointsService.create}
   */
  async create(
    actor: Principal,
    body: CreateWebhookEndpointBody,
    claimOf: ClaimOf,
  ): Promise<EndpointWithSecret & { replayed: boolean }> {
    await this.assertAgents(actor.workspaceId, body.agents);
    const wanted = newSubscription(body);
    return this.endpoints.create(actor, wanted, claimOf({ ...wanted }));
  }

  /**
   * @throws DomainError `unknown_reference` if an agent does not exist, and the errors of
   * {@link WebhookEndpointsService.update}
   */
  async update(actor: Principal, endpointId: string, body: UpdateWebhookEndpointBody): Promise<WebhookEndpointEntity> {
    await this.endpoints.get(actor.workspaceId, endpointId);
    await this.assertAgents(actor.workspaceId, body.agents);
    return this.endpoints.update(actor, endpointId, subscriptionChange(body));
  }

  private async assertAgents(workspaceId: string, wanted: readonly string[] | null | undefined): Promise<void> {
    if (!wanted) return;
    const known = await this.agents.known(workspaceId, wanted);
    const errors = wanted.flatMap((id, index) =>
      known.has(id) ? [] : [{ pointer: `/agents/${index}`, detail: `${id} is not an agent of this workspace.` }],
    );
    if (errors.length > 0) throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors });
  }
}
