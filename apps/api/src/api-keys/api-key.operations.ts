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
import { ApiKeyResource, CreateApiKeyBody, NewApiKeyResource } from './api-key.dto.js';

const KEY_ID = ApiParam({ name: 'id', description: 'The key.', schema: { type: 'string' } });

/** How the routes of API keys are described, by handler. */
export const API_KEY_OPERATIONS = {
  list: Operation({
    id: 'listApiKeys',
    tag: 'Workspace',
    summary: 'List API keys',
    description: 'Those that were not revoked, expired ones included.',
    answers: [{ description: 'One page of keys.', type: ApiKeyResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  create: Operation(
    {
      id: 'createApiKey',
      tag: 'Workspace',
      summary: 'Make an API key',
      description: 'Its text is in this answer and nowhere else. A key may do no more than its member and its maker.',
      answers: [
        {
          status: 201,
          description: 'The key.',
          type: NewApiKeyResource,
          headers: { Location: 'The key.', ...REPLAYED_HEADER },
        },
      ],
      problems: [...JSON_BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, 'unknown_reference'],
    },
    ApiHeader(IDEMPOTENCY_HEADER),
    ApiBody({ type: CreateApiKeyBody, required: true }),
  ),
  get: Operation(
    {
      id: 'getApiKey',
      tag: 'Workspace',
      summary: 'An API key',
      answers: [{ description: 'The key, without its text.', type: ApiKeyResource }],
      problems: ['not_found'],
    },
    KEY_ID,
  ),
  rotate: Operation(
    {
      id: 'rotateApiKey',
      repeatable: true,
      tag: 'Workspace',
      summary: 'Give an API key a new text',
      description:
        'The text before stays valid for `grace_seconds`, in a fleet for 10 seconds more at the longest. `expires_at` stays as it is, so a key that has expired is refused (`invalid_request`). ' +
        FORMER_STAY_VALID,
      answers: [{ description: 'The key with its new text.', type: NewApiKeyResource }],
      problems: [...JSON_BODY_PROBLEMS, 'not_found'],
    },
    KEY_ID,
    ApiBody({ type: RotationBody, required: false }),
  ),
  revoke: Operation(
    {
      id: 'revokeApiKey',
      tag: 'Workspace',
      summary: 'Revoke an API key',
      description: 'It is dead at once (in a fleet within 10 seconds), with all texts of one that was rotated.',
      answers: [{ status: 204, description: 'Revoked.' }],
      problems: ['not_found'],
    },
    KEY_ID,
  ),
};
