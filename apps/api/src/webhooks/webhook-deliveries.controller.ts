import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WebhookDeliveries } from '@app/events';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered } from '../http/answers.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, QueryParameters } from '../http/request-decorators.js';
import { ListDeliveriesQuery, type WebhookDeliveryResource } from './webhook-delivery.dto.js';
import { WEBHOOK_DELIVERY_OPERATIONS } from './webhook-delivery.operations.js';
import { deliveryList, presentDelivery, presentDue } from './webhook-delivery.presenter.js';

@Controller('v1/webhook-endpoints/:id/deliveries')
export class WebhookDeliveriesController {
  constructor(
    private readonly deliveries: WebhookDeliveries,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('webhooks:manage')
  @WEBHOOK_DELIVERY_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
    @QueryParameters() query: ListDeliveriesQuery,
  ): Promise<PagedList<WebhookDeliveryResource>> {
    return this.pages.answer(query, deliveryList(this.deliveries, workspaceId, id, query));
  }

  @Get(':delivery_id')
  @RequireScopes('webhooks:manage')
  @WEBHOOK_DELIVERY_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
    @PathId('delivery_id', 'delivery') deliveryId: string,
  ): Promise<WebhookDeliveryResource> {
    return presentDelivery(await this.deliveries.get(workspaceId, id, deliveryId));
  }

  @Post(':delivery_id/retry')
  @RequireScopes('webhooks:manage')
  @WEBHOOK_DELIVERY_OPERATIONS.retry
  async retry(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint') id: string,
    @PathId('delivery_id', 'delivery') deliveryId: string,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookDeliveryResource> {
    return presentDue(response, answered(response, await this.deliveries.retry(actor, id, deliveryId, claim)));
  }
}
