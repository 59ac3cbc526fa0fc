import { Controller, Delete, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WebhookDeliveries, WebhookEndpoints } from '@app/events';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered } from '../http/answers.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import {
  CurrentPrincipal,
  EmptyBodyClaim,
  IdempotencyKey,
  JsonBody,
  PathId,
  QueryParameters,
  type Rotation,
  RotationRequest,
} from '../http/request-decorators.js';
import type { WebhookDeliveryResource } from './webhook-delivery.dto.js';
import { presentDue } from './webhook-delivery.presenter.js';
import {
  CreateWebhookEndpointBody,
  type NewWebhookEndpointResource,
  UpdateWebhookEndpointBody,
  type WebhookEndpointResource,
} from './webhook-endpoint.dto.js';
import { WEBHOOK_ENDPOINT_OPERATIONS } from './webhook-endpoint.operations.js';
import { presentCreation, presentEndpoint, presentRotation } from './webhook-endpoint.presenter.js';
import { WebhookSubscriptions } from './webhook-subscriptions.service.js';

@Controller('v1/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly subscriptions: WebhookSubscriptions,
    private readonly deliveries: WebhookDeliveries,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<WebhookEndpointResource>> {
    const read = this.endpoints.list.bind(this.endpoints, workspaceId);
    return this.pages.answer(query, { list: 'webhook-endpoints', workspaceId, read, present: presentEndpoint });
  }

  @Post()
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.create
  async create(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateWebhookEndpointBody,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewWebhookEndpointResource> {
    return presentCreation(response, await this.subscriptions.create(actor, body, key));
  }

  @Get(':id')
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
  ): Promise<WebhookEndpointResource> {
    return presentEndpoint(await this.endpoints.get(workspaceId, id));
  }

  @Patch(':id')
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.update
  async update(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
    @JsonBody() body: UpdateWebhookEndpointBody,
  ): Promise<WebhookEndpointResource> {
    return presentEndpoint(await this.subscriptions.update(actor, id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.remove
  remove(@CurrentPrincipal() actor: Principal, @PathId('id', 'webhookEndpoint') id: string): Promise<void> {
    return this.endpoints.delete(actor, id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.rotate
  async rotate(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
    @RotationRequest() { graceSeconds, claim }: Rotation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewWebhookEndpointResource> {
    return presentRotation(response, await this.endpoints.rotate(actor, id, graceSeconds, claim));
  }

  @Post(':id/test')
  @RequireScopes('webhooks:manage')
  @WEBHOOK_ENDPOINT_OPERATIONS.test
  async test(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookDeliveryResource> {
    return presentDue(response, answered(response, await this.deliveries.test(actor, id, claim)));
  }
}
