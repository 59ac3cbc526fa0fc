import type { PageRequest } from '@app/kernel';
import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WebhookDeliveriesService, WebhookEndpointsService } from '@app/events';
import { agentsOf, type IdempotencyClaim, type Principal } from '@app/workspace';
import { RequireLive, RequireRecentSignIn, RequireScopes } from '../http/access.decorators.js';
import { accepted, answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  EmptyBodyClaim,
  FORMER_STAY_VALID,
  JsonBody,
  PathId,
  QueryParameters,
  type Rotation,
  RotationRequest,
} from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { locationOf, presentDelivery, WebhookDeliveryResource } from '../webhook-deliveries/webhook-deliveries.api.js';
import {
  CreateWebhookEndpointBody,
  NewWebhookEndpointResource,
  presentEndpoint,
  presentEndpointWithSecret,
  UpdateWebhookEndpointBody,
  WebhookEndpointResource,
} from './webhook-endpoints.api.js';
import { WebhookSubscriptionsService } from './webhook-subscriptions.service.js';

@Tag('Events')
@Controller('v1/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly subscriptions: WebhookSubscriptionsService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('webhooks:manage')
  @Operation('List webhook endpoints', {
    description: 'Lists the endpoints of the workspace, without their secrets.',
    200: { description: 'One page of endpoints.', page: WebhookEndpointResource },
  })
  listWebhookEndpoints(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<WebhookEndpointResource>> {
    const { workspaceId } = principal;
    const read = (page: PageRequest) => this.endpoints.list(workspaceId, page, agentsOf(principal));
    return this.pages.answer(query, { list: 'webhook-endpoints', workspaceId, read, present: presentEndpoint });
  }

  @Post()
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Create a webhook endpoint', {
    description:
      'Subscribes an address to events. Messages are signed according to Standard Webhooks with the secret, ' +
      'which only this response contains. Messages can arrive repeatedly and in any order. By default, the ' +
      'service makes ten attempts within four days, each with the same `webhook-id`. The section `webhooks` of this document ' +
      'describes the messages. A workspace has at most 100 endpoints (else 409 `limit_reached`).',
    201: { description: 'The new endpoint.', type: NewWebhookEndpointResource, location: 'Address of the endpoint.' },
    problems: [...IDEMPOTENCY_PROBLEMS, 'unknown_reference', 'limit_reached'],
  })
  async createWebhookEndpoint(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateWebhookEndpointBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewWebhookEndpointResource> {
    const made = answered(response, await this.subscriptions.create(actor, body, claimOf));
    return created(response, `/v1/webhook-endpoints/${made.endpoint.id}`, presentEndpointWithSecret(made));
  }

  @Get(':id')
  @RequireScopes('webhooks:manage')
  @Operation('Get a webhook endpoint', {
    description: 'Returns the endpoint without its secret.',
    200: { description: 'The endpoint.', type: WebhookEndpointResource },
  })
  async getWebhookEndpoint(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
  ): Promise<WebhookEndpointResource> {
    return presentEndpoint(await this.endpoints.get(workspaceId, id));
  }

  @Patch(':id')
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @Operation('Change a webhook endpoint', {
    description: 'Changes the given fields. Pending deliveries are sent to the new address.',
    200: { description: 'The changed endpoint.', type: WebhookEndpointResource },
    problems: ['unknown_reference'],
  })
  async updateWebhookEndpoint(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @JsonBody() body: UpdateWebhookEndpointBody,
  ): Promise<WebhookEndpointResource> {
    return presentEndpoint(await this.subscriptions.update(actor, id, body));
  }

  @Delete(':id')
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @Operation('Delete a webhook endpoint', {
    description: 'Deletes the endpoint and cancels its pending deliveries.',
    204: { description: 'The endpoint is deleted.' },
  })
  deleteWebhookEndpoint(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
  ): Promise<void> {
    return this.endpoints.delete(actor, id);
  }

  @Post(':id/rotate')
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Rotate the secret of an endpoint', {
    description:
      'Replaces the secret. For `grace_seconds`, messages are also signed with the previous secret. ' +
      FORMER_STAY_VALID,
    200: { description: 'The endpoint with its new secret.', type: NewWebhookEndpointResource },
  })
  async rotateWebhookSecret(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @RotationRequest() { graceSeconds, claim }: Rotation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewWebhookEndpointResource> {
    const rotated = answered(response, await this.endpoints.rotate(actor, id, graceSeconds, claim));
    return presentEndpointWithSecret(rotated.result);
  }

  @Post(':id/test')
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @Operation('Send a test event', {
    description:
      'Sends an event `webhook.test` to this endpoint only, regardless of its subscription. It must be enabled (else 409 `endpoint_disabled`).',
    202: {
      description: 'The delivery, which is in progress.',
      type: WebhookDeliveryResource,
      location: 'Address of the delivery.',
    },
    problems: ['endpoint_disabled'],
  })
  async testWebhookEndpoint(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookDeliveryResource> {
    const { result: delivery } = answered(response, await this.deliveries.test(actor, id, claim));
    return accepted(response, locationOf(delivery), presentDelivery(delivery));
  }
}
