import { ApiParam } from '@nestjs/swagger';
import { PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { WebhookDeliveryResource } from './webhook-delivery.dto.js';
import { ENDPOINT_ID } from './webhook-endpoint.operations.js';

const DELIVERY_ID = ApiParam({ name: 'delivery_id', description: 'The delivery.', schema: { type: 'string' } });

/** How the routes of deliveries are described, by handler. */
export const WEBHOOK_DELIVERY_OPERATIONS = {
  list: Operation(
    {
      id: 'listWebhookDeliveries',
      tag: 'Events',
      summary: 'List what an endpoint was and is to be sent',
      answers: [{ description: 'One page of deliveries.', type: WebhookDeliveryResource, list: true }],
      problems: [...PAGE_PROBLEMS, 'not_found'],
    },
    ENDPOINT_ID,
  ),
  get: Operation(
    {
      id: 'getWebhookDelivery',
      tag: 'Events',
      summary: 'A delivery',
      answers: [{ description: 'The delivery.', type: WebhookDeliveryResource }],
      problems: ['not_found'],
    },
    ENDPOINT_ID,
    DELIVERY_ID,
  ),
  retry: Operation(
    {
      id: 'retryWebhookDelivery',
      repeatable: true,
      tag: 'Events',
      summary: 'Send a delivery again, now',
      description: 'One more attempt with the same `webhook-id` and the same bytes, whatever became of it before.',
      answers: [
        {
          status: 202,
          description: 'The delivery, which is being made.',
          type: WebhookDeliveryResource,
          headers: { Location: 'The delivery.' },
        },
      ],
      problems: ['not_found', 'endpoint_disabled'],
    },
    ENDPOINT_ID,
    DELIVERY_ID,
  ),
};
