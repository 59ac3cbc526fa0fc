import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type DefinitionSource, DefinitionValidation } from '@app/agents';
import { AGENT_V1_SCHEMA } from '@app/definition';
import type { Principal } from '@app/workspace';
import { Public, RequireScopes } from '../http/access.decorators.js';
import { cachedDocument, sendCached } from '../http/answers.js';
import { DefinitionBody } from '../http/definition-body.js';
import { CurrentPrincipal } from '../http/request-decorators.js';
import { CACHE_HEADERS, Operation, Tag } from '../openapi/operation.js';
import { PresentedValidation, presentValidation } from './definitions.api.js';

const SCHEMA = cachedDocument('application/schema+json', JSON.stringify(AGENT_V1_SCHEMA, null, 2));

@Tag('Agents')
@Controller('v1')
export class DefinitionsController {
  constructor(private readonly validation: DefinitionValidation) {}

  @Post('definitions/validate')
  @RequireScopes('agents:read')
  @Operation('Check a definition without storing it', {
    description:
      'Answers 200 for a valid and for an invalid definition. A key that may create agents gets all that creation would say; for others nobody else is asked.',
    200: { description: 'What is wrong, and what is suspicious.', type: PresentedValidation },
  })
  async validateDefinition(
    @CurrentPrincipal() principal: Principal,
    @DefinitionBody() source: DefinitionSource,
  ): Promise<PresentedValidation> {
    const mayCreate = principal.scopes.has('agents:write');
    return presentValidation(await this.validation.validate(principal.workspaceId, source, mayCreate));
  }

  @Get('schemas/agent.v1.json')
  @Public()
  @Operation('The JSON Schema of definitions, for editors', {
    200: {
      description: 'JSON Schema 2020-12.',
      headers: CACHE_HEADERS,
      content: { 'application/schema+json': { schema: { type: 'object' } } },
    },
  })
  getAgentSchema(@Res({ passthrough: true }) response: Response): string {
    return sendCached(response, SCHEMA);
  }
}
