import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, type ApiHeaderOptions, ApiParam } from '@nestjs/swagger';
import type { ErrorCode } from '@app/kernel';
import { DEFINITION_TYPES } from '../http/definition-body.js';
import { LIMIT_WORDS } from './configured-limits.js';

/** What operations with the same input have in common. */
export const JSON_BODY_PROBLEMS: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

export const PAGE_PROBLEMS: readonly ErrorCode[] = ['invalid_cursor', 'cursor_expired', 'cursor_mismatch'];

export const DEFINITION_PROBLEMS: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];

export const INVALID_DEFINITION: readonly ErrorCode[] = ['invalid_yaml', 'invalid_json', 'definition_invalid'];

const DEFINITION_SCHEMA = { $ref: '#/components/schemas/AgentDefinition' };

const DEFINITION_EXAMPLE = `name: greeter
input:
  type: object
  required: [name]
  properties: { name: { type: string } }
steps:
  - id: result
    output: { greeting: "Hello \${{ input.name }}" }
`;

export const AGENT_ID = ApiParam({ name: 'id', description: 'The agent.', schema: { type: 'string' } });

export const VERSION_NUMBER = ApiParam({
  name: 'n',
  description: 'The number of the version.',
  schema: { type: 'integer', minimum: 1 },
});

export const CACHE_HEADERS = { ETag: 'Changes with the release.' };

/** The submitted text of a definition, as an answer. */
export const YAML_DEFINITION = { 'application/yaml': { schema: { type: 'string' }, example: DEFINITION_EXAMPLE } };

/** The body of operations that take a definition, in each of its media types. */
export const ApiDefinitionBody = (): MethodDecorator =>
  applyDecorators(
    ApiConsumes(...DEFINITION_TYPES),
    ApiBody({
      required: true,
      description: `An agent definition, at most ${LIMIT_WORDS.definition}.`,
      schema: DEFINITION_SCHEMA,
      examples: { greeter: { summary: 'Without a model', value: DEFINITION_EXAMPLE } },
    }),
  );

export const IDEMPOTENCY_PROBLEMS: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress'];

/** On an answer that was given before. */
export const REPLAYED_HEADER = { 'Idempotent-Replayed': '`true` where this request had been answered before.' };

export const IDEMPOTENCY_HEADER: ApiHeaderOptions = {
  name: 'Idempotency-Key',
  required: false,
  description: `Makes repeating the request safe for ${LIMIT_WORDS.idempotency}: the same key with the same body gives the same answer. 1 to 255 printable ASCII characters.`,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** On changes of a resource that has an ETag. */
export const IF_MATCH_HEADER: ApiHeaderOptions = {
  name: 'If-Match',
  required: false,
  description: 'The ETag of the resource as you know it: where it is another one by now, nothing is changed (412).',
  schema: { type: 'string' },
};

export const ETAG_HEADER = { ETag: 'For `If-None-Match`, and for `If-Match` of changes.' };
