import { Injectable } from '@nestjs/common';
import { AgentsService } from '@app/agents';
import { type EndpointWithSecret, type WebhookEndpointEntity, WebhookEndpointsService } from '@app/events';
import { DomainError } from '@app/kernel';
import { agentsOf, type Principal, seesAgent } from '@app/workspace';
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
    await this.assertAgents(actor, body.agents ?? null);
    const wanted = newSubscription(body);
    return this.endpoints.create(actor, wanted, claimOf({ ...wanted }));
  }

  /**
   * @throws DomainError `unknown_reference` if an agent does not exist, and the errors of
   * {@link WebhookEndpointsService.update}
   */
  async update(actor: Principal, endpointId: string, body: UpdateWebhookEndpointBody): Promise<WebhookEndpointEntity> {
    await this.endpoints.get(actor.workspaceId, endpointId);
    await this.assertAgents(actor, body.agents);
    return this.endpoints.update(actor, endpointId, subscriptionChange(body));
  }

  /** @param wanted null for all agents, undefined if the subscription keeps its agents */
  private async assertAgents(actor: Principal, wanted: readonly string[] | null | undefined): Promise<void> {
    if (wanted === null && agentsOf(actor)) throw ofAllAgents();
    if (!wanted) return;
    const known = await this.agents.known(actor.workspaceId, wanted);
    const errors = wanted.flatMap((id, index) =>
      known.has(id) && seesAgent(actor, id)
        ? []
        : [{ pointer: `/agents/${index}`, detail: `${id} is not an agent of this workspace.` }],
    );
    if (errors.length > 0) throw new DomainError('unknown_reference', errors[0]?.detail ?? '', { errors });
  }
}

function ofAllAgents(): DomainError {
  const detail = 'Your key is narrowed to agents, so the endpoint must be too. Send the ids of the agents as `agents`.';
  return new DomainError('invalid_request', detail, { errors: [{ pointer: '/agents', detail }] });
}
