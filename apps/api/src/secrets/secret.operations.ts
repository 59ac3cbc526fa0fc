import { ApiBody, ApiParam } from '@nestjs/swagger';
import { JSON_BODY_PROBLEMS, PAGE_PROBLEMS } from '../openapi/described-parts.js';
import { Operation } from '../openapi/operation.decorator.js';
import { PutSecretBody, SecretResource } from './secret.dto.js';

const SECRET_NAME = ApiParam({
  name: 'name',
  description: 'What definitions say after `secrets.`: 1 to 128 letters, digits and underscores, no digit first.',
  schema: { type: 'string' },
});

/** How the routes of secrets are described, by handler. */
export const SECRET_OPERATIONS = {
  list: Operation({
    id: 'listSecrets',
    tag: 'Workspace',
    summary: 'List secrets',
    description: 'Names and dates. No route answers a value.',
    answers: [{ description: 'One page of secrets.', type: SecretResource, list: true }],
    problems: PAGE_PROBLEMS,
  }),
  put: Operation(
    {
      id: 'putSecret',
      tag: 'Workspace',
      summary: 'Set a secret',
      description: 'Creates it or replaces its value, which tools use at once, at the latest within 10 seconds.',
      answers: [{ status: 204, description: 'Set.' }],
      problems: JSON_BODY_PROBLEMS,
    },
    SECRET_NAME,
    ApiBody({ type: PutSecretBody, required: true }),
  ),
  remove: Operation(
    {
      id: 'deleteSecret',
      tag: 'Workspace',
      summary: 'Delete a secret',
      description: 'Calls of tools that use it fail as `secret_missing` at once, at the latest within 10 seconds.',
      answers: [{ status: 204, description: 'Deleted.' }],
      problems: ['not_found'],
    },
    SECRET_NAME,
  ),
};
