import { ApiBody, ApiHeader, ApiParam } from '@nestjs/swagger';
import {
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_PROBLEMS,
  JSON_BODY_PROBLEMS,
  PAGE_PROBLEMS,
  REPLAYED_HEADER,
} from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { FORMER_STAY_VALID, RotationBody } from '../http/rotation.dto.js';
import {
  CreateWebhookEndpointBody,
  NewWebhookEndpointResource,
  UpdateWebhookEndpointBody,
  WebhookEndpointResource,
} from './webhook-endpoint.dto.js';
import { WebhookDeliveryResource } from './webhook-delivery.dto.js';

export const ENDPOINT_ID = ApiParam({ name: 'id', description: 'The endpoint.', schema: { type: 'string' } });

/** How the routes of endpoints are described, by handler. */
export const WEBHOOK_ENDPOINT_OPERATIONS = {
  list: Operation({
    id: 'listWebhookEndpoints',
    tag: 'Events',
    summary: 'List webhook endpoints',
    answers: [{ description: 'One page of endpoints.', type: WebhookEndpointResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  create: Operation(
    {
      id: 'createWebhookEndpoint',
      tag: 'Events',
      summary: 'Subscribe to events',
      description:
        'Messages are signed as Standard Webhooks wants it, with the secret that is in this answer and nowhere else. They arrive ' +
        'at least once and in any order; every attempt has the same `webhook-id`. What they look like stands under `webhooks` in this description.',
      answers: [
        {
          status: 201,
          description: 'The endpoint.',
          type: NewWebhookEndpointResource,
          headers: { Location: 'The endpoint.', ...REPLAYED_HEADER },
        },
      ],
      problems: [...JSON_BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, 'unknown_reference', 'limit_reached'],
    },
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiBody({ type: CreateWebhookEndpointBody, required: true }),
  ),
  get: Operation(
    {
      id: 'getWebhookEndpoint',
      tag: 'Events',
      summary: 'A webhook endpoint',
      answers: [{ description: 'The endpoint, without its secret.', type: WebhookEndpointResource }],
      problems: ['not_found'],
    },
    ENDPOINT_ID,
  ),
  update: Operation(
    {
      id: 'updateWebhookEndpoint',
      tag: 'Events',
      summary: 'Change a webhook endpoint',
      description: 'Changes the members that are given. What it is owed already is sent to the new address.',
      answers: [{ description: 'The endpoint.', type: WebhookEndpointResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found', 'unknown_reference'],
    },
    ENDPOINT_ID,
    ApiBody({ type: UpdateWebhookEndpointBody, required: true }),
  ),
  remove: Operation(
    {
      id: 'deleteWebhookEndpoint',
      tag: 'Events',
      summary: 'Delete a webhook endpoint',
      description: 'It is sent nothing any more.',
      answers: [{ status: 204, description: 'Deleted.' }],
      problems: ['not_found'],
    },
    ENDPOINT_ID,
  ),
  rotate: Operation(
    {
      id: 'rotateWebhookSecret',
      repeatable: true,
      tag: 'Events',
      summary: 'Give an endpoint a new secret',
      description: 'For `grace_seconds` every message is signed with the one before as well. ' + FORMER_STAY_VALID,
      answers: [{ description: 'The endpoint with its new secret.', type: NewWebhookEndpointResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found'],
    },
    ENDPOINT_ID,
    ApiBody({ type: RotationBody, required: false }),
  ),
  test: Operation(
    {
      id: 'testWebhookEndpoint',
      repeatable: true,
      tag: 'Events',
      summary: 'Send an endpoint a test event',
      description: 'An event `webhook.test`, to this endpoint only, whatever it has subscribed to.',
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
  ),
};
