import { definitionLimitsConfig, type DefinitionLimitsConfig, type DefinitionSource } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import type { IdempotencyClaim } from '@app/workspace';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { DEFINITION_INPUT, DefinitionBodyPipe } from './definition-body.pipe.js';
import { idempotencyClaim, readIdempotencyKey } from './idempotency-key.js';
import type { ApiRequest } from './request-context.js';
import { CurrentRequest } from './request-decorators.js';
import { REPEATABLE } from './route-inputs.js';

export interface SubmittedDefinition {
  definition: DefinitionSource;
  claim: IdempotencyClaim | undefined;
}

@Injectable()
export class StoredDefinitionPipe implements PipeTransform<ApiRequest, Promise<SubmittedDefinition>> {
  private readonly body: DefinitionBodyPipe;

  constructor(@Inject(definitionLimitsConfig.KEY) config: DefinitionLimitsConfig) {
    this.body = new DefinitionBodyPipe(config);
  }

  async transform(request: ApiRequest): Promise<SubmittedDefinition> {
    const definition = await this.body.transform(request);
    const endpoint = `${request.method} ${request.path}`;
    return {
      definition,
      claim: idempotencyClaim(endpoint, readIdempotencyKey(request), contentOf(request, definition)),
    };
  }
}

/** Returns the content that must be equal in all requests with the same idempotency key: the text, and any query. */
function contentOf({ query }: ApiRequest, { text }: DefinitionSource): JsonObject | string {
  return Object.keys(query).length === 0 ? text : { text, query: query as JsonObject };
}

/** Injects the agent definition in the body and the idempotency claim of the request. */
export const StoredDefinition = (): ParameterDecorator =>
  CurrentRequest(
    {
      repeatable: true,
      parts: [...(DEFINITION_INPUT.parts ?? []), ...(REPEATABLE.parts ?? [])],
      problems: [...(DEFINITION_INPUT.problems ?? []), 'invalid_yaml', 'invalid_json', 'definition_invalid'],
    },
    StoredDefinitionPipe,
  );
