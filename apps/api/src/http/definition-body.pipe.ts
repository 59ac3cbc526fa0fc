import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { definitionLimitsConfig, type DefinitionLimitsConfig, type DefinitionSource } from '@app/agents';
import { DomainError, type JsonObject } from '@app/kernel';
import type { IdempotencyClaim } from '@app/workspace';
import { idempotencyClaim, readIdempotencyKey } from './idempotency-key.js';
import { readTextBody } from './request-body.js';
import type { ApiRequest } from './request-context.js';
import { CurrentRequest } from './request-decorators.js';
import { LIMIT_WORDS, REPEATABLE, type RouteInput } from './route-inputs.js';

export const DEFINITION_TYPES = ['application/yaml', 'text/yaml', 'application/x-yaml', 'application/json'] as const;

const GREETER = {
  name: 'greeter',
  input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  steps: [{ id: 'result', output: { greeting: 'Hello ${{ input.name }}' } }],
};

export const YAML_DEFINITION = { 'application/yaml': { schema: { type: 'string' }, example: stringify(GREETER) } };

const DEFINITION_INPUT: RouteInput = {
  parts: [
    ApiConsumes(...DEFINITION_TYPES),
    ApiBody({
      required: true,
      description: `Agent definition in the format \`agent/v1\`, at most ${LIMIT_WORDS.definition}.`,
      schema: { $ref: '#/components/schemas/AgentDefinition' },
      examples: { greeter: { summary: 'An agent without a model', value: GREETER } },
    }),
  ],
  problems: ['payload_too_large', 'unsupported_media_type'],
};

export interface SubmittedDefinition {
  definition: DefinitionSource;
  /**
   * Returns the idempotency claim of the request, or undefined if the request has no `Idempotency-Key`.
   * @throws DomainError the errors of {@link readIdempotencyKey}
   */
  claim: () => IdempotencyClaim | undefined;
}

/** Reads the agent definition in the body. The text is kept exactly as the client sent it. */
@Injectable()
export class DefinitionBodyPipe implements PipeTransform<ApiRequest, Promise<SubmittedDefinition>> {
  constructor(@Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig) {}

  /** @throws DomainError `invalid_request` for an empty body, and the errors of {@link readTextBody} */
  async transform(request: ApiRequest): Promise<SubmittedDefinition> {
    const rules = { types: DEFINITION_TYPES, limit: this.config.definitionLimits.bytes };
    const { text, type } = await readTextBody(request, rules);
    if (text.trim() === '') throw new DomainError('invalid_request', 'The body is empty. Send an agent definition.');
    const endpoint = `${request.method} ${request.path}`;
    return {
      definition: { text, format: type === 'application/json' ? 'json' : 'yaml' },
      claim: () => idempotencyClaim(endpoint, readIdempotencyKey(request), contentOf(request, text)),
    };
  }
}

/** Returns the content that must be equal in all requests with the same idempotency key: the text, and any query. */
function contentOf({ query }: ApiRequest, text: string): JsonObject | string {
  return Object.keys(query).length === 0 ? text : { text, query: query as JsonObject };
}

/** Injects the text of the agent definition in the body, and its format. */
export const DefinitionBody = (): ParameterDecorator => CurrentRequest(DEFINITION_INPUT, DefinitionBodyPipe);

/** Like {@link DefinitionBody}, for a route that stores the definition and accepts an `Idempotency-Key`. */
export const StoredDefinition = (): ParameterDecorator =>
  CurrentRequest(
    {
      repeatable: true,
      parts: [...(DEFINITION_INPUT.parts ?? []), ...(REPEATABLE.parts ?? [])],
      problems: [...(DEFINITION_INPUT.problems ?? []), 'invalid_yaml', 'invalid_json', 'definition_invalid'],
    },
    DefinitionBodyPipe,
  );
