import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MAX_RETRIED, WebhookDeliveriesService } from '@app/events';
import type { IdempotencyClaim, Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { accepted, answered } from '../http/answers.js';
import { anyOrder, ListPagesService, type PagedList } from '../http/list-pages.service.js';
import { CurrentPrincipal, EmptyBodyClaim, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  ListDeliveriesQuery,
  locationOf,
  presentDelivery,
  presentDeliveryDetails,
  RetriedDeliveriesResource,
  WebhookDeliveryDetailsResource,
  WebhookDeliveryResource,
} from './webhook-deliveries.api.js';

@Tag('Events')
@Controller('v1/webhook-endpoints/:id/deliveries')
export class WebhookDeliveriesController {
  constructor(
    private readonly deliveries: WebhookDeliveriesService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('webhooks:manage')
  @Operation('List the deliveries of an endpoint', {
    description: 'Lists past and pending deliveries with the result of their last attempt.',
    200: { description: 'One page of deliveries.', page: WebhookDeliveryResource },
  })
  listWebhookDeliveries(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @QueryParameters() query: ListDeliveriesQuery,
  ): Promise<PagedList<WebhookDeliveryResource>> {
    const { status: statuses } = query;
    return this.pages.answer(query, {
      list: `webhook-endpoints/${id}/deliveries`,
      workspaceId,
      filters: { status: anyOrder(statuses) },
      read: (page) => this.deliveries.list(workspaceId, id, { statuses }, page),
      present: presentDelivery,
    });
  }

  @Get(':delivery_id')
  @RequireScopes('webhooks:manage')
  @Operation('Get a delivery', {
    description: 'Returns the delivery with its request and the result of its last attempt.',
    200: { description: 'The delivery.', type: WebhookDeliveryDetailsResource },
  })
  async getWebhookDelivery(
    @CurrentPrincipal() reader: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @PathId('delivery_id', 'delivery') deliveryId: string,
  ): Promise<WebhookDeliveryDetailsResource> {
    const delivery = await this.deliveries.get(reader.workspaceId, id, deliveryId);
    return presentDeliveryDetails(delivery, await this.deliveries.request(reader, delivery));
  }

  @Post('retry')
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @Operation('Retry all deliveries of an endpoint', {
    description: `Makes one more attempt for each delivery that failed or waits for another attempt, at most ${MAX_RETRIED.toLocaleString('en')} a request. The endpoint must be enabled (else 409 \`endpoint_disabled\`).`,
    200: { description: 'How many deliveries are sent again.', type: RetriedDeliveriesResource },
    problems: ['endpoint_disabled'],
  })
  async retryWebhookDeliveries(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RetriedDeliveriesResource> {
    const { result: retried } = answered(response, await this.deliveries.retryAll(actor, id, claim));
    return { retried };
  }

  @Post(':delivery_id/retry')
  @RequireScopes('webhooks:manage')
  @RequireLive()
  @Operation('Retry a delivery', {
    description:
      'Makes one more attempt now, with the same `webhook-id` and the same bytes, regardless of the status of the delivery. The endpoint must be enabled (else 409 `endpoint_disabled`).',
    202: {
      description: 'The delivery, which is in progress.',
      type: WebhookDeliveryResource,
      location: 'Address of the delivery.',
    },
    problems: ['endpoint_disabled'],
  })
  async retryWebhookDelivery(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'webhookEndpoint', 'endpoint') id: string,
    @PathId('delivery_id', 'delivery') deliveryId: string,
    @EmptyBodyClaim() claim: IdempotencyClaim | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookDeliveryResource> {
    const { result: delivery } = answered(response, await this.deliveries.retry(actor, id, deliveryId, claim));
    return accepted(response, locationOf(delivery), presentDelivery(delivery));
  }
}
