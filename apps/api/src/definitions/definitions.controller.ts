import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AGENT_V1_SCHEMA } from '@app/definition';
import type { Principal } from '@app/workspace';
import { Public, RequireScopes } from '../http/access.decorators.js';
import { cachedDocument, sendCached } from '../http/answers.js';
import { DefinitionBody, type SubmittedDefinition } from '../http/definition-body.pipe.js';
import { CurrentPrincipal } from '../http/request-decorators.js';
import { DefinitionChecksService } from './definition-checks.service.js';
import { CACHE_HEADERS, Operation, Tag } from '../openapi/operation.js';
import { PresentedValidation, presentValidation } from './definitions.api.js';

const SCHEMA = cachedDocument('application/schema+json', JSON.stringify(AGENT_V1_SCHEMA, null, 2));

@Tag('Agents')
@Controller('v1')
export class DefinitionsController {
  constructor(private readonly definitions: DefinitionChecksService) {}

  @Post('definitions/validate')
  @RequireScopes('agents:read')
  @Operation('Validate a definition', {
    description:
      'Checks a definition without storing it. The HTTP status is 200 for valid and for invalid definitions: read the field `valid`. With the scope `agents:write`, and unless the key is narrowed to agents, tool servers and names are also checked: see `unchecked`.',
    200: {
      description: 'The errors and warnings.',
      type: PresentedValidation,
      example: { valid: true, errors: [], warnings: [], notes: [], unchecked: [] },
    },
  })
  async validateDefinition(
    @CurrentPrincipal() principal: Principal,
    @DefinitionBody() { definition }: SubmittedDefinition,
  ): Promise<PresentedValidation> {
    return presentValidation(await this.definitions.validate(principal, definition));
  }

  @Get('schemas/agent.v1.json')
  @Public()
  @Operation('Get the JSON Schema of definitions', {
    description:
      'Returns the schema of `agent/v1`, for validation and completion in editors. It changes only with a release.',
    200: {
      description: 'The schema (JSON Schema 2020-12).',
      headers: CACHE_HEADERS,
      content: {
        'application/schema+json': { schema: { type: 'object' }, example: { title: 'agent/v1', type: 'object' } },
      },
    },
  })
  getAgentSchema(@Res({ passthrough: true }) response: Response): string {
    return sendCached(response, SCHEMA);
  }
}
