import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { definitionLimitsConfig, type DefinitionLimitsConfig, type DefinitionSource } from '@app/agents';
import { DomainError } from '@app/kernel';
import { readTextBody } from './request-body.js';
import type { ApiRequest } from './request-context.js';
import { CurrentRequest } from './request-decorators.js';
import { LIMIT_WORDS, type RouteInput } from './route-inputs.js';

export const DEFINITION_TYPES = ['application/yaml', 'text/yaml', 'application/x-yaml', 'application/json'] as const;

const GREETER = {
  name: 'greeter',
  input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  steps: [{ id: 'result', output: { greeting: 'Hello ${{ input.name }}' } }],
};

export const YAML_DEFINITION = { 'application/yaml': { schema: { type: 'string' }, example: stringify(GREETER) } };

export const DEFINITION_INPUT: RouteInput = {
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

/** Reads the agent definition in the body. The text is kept exactly as the client sent it. */
@Injectable()
export class DefinitionBodyPipe implements PipeTransform<ApiRequest, Promise<DefinitionSource>> {
  constructor(@Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig) {}

  /** @throws DomainError `invalid_request` for an empty body, and the errors of {@link readTextBody} */
  async transform(request: ApiRequest): Promise<DefinitionSource> {
    const rules = { types: DEFINITION_TYPES, limit: this.config.definitionLimits.bytes };
    const { text, type } = await readTextBody(request, rules);
    if (text.trim() === '') throw new DomainError('invalid_request', 'The body is empty. Send an agent definition.');
    return { text, format: type === 'application/json' ? 'json' : 'yaml' };
  }
}

/** Injects the text of the agent definition in the body, and its format. */
export const DefinitionBody = (): ParameterDecorator => CurrentRequest(DEFINITION_INPUT, DefinitionBodyPipe);
