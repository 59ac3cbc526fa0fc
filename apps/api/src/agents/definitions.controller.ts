import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type DefinitionSource, DefinitionValidation } from '@app/agents';
import { AGENT_V1_SCHEMA } from '@app/definition';
import { type Principal } from '@app/workspace';
import { Public, RequireScopes } from '../http/access.decorators.js';
import { cachedDocument, sendCached } from '../http/cached-document.js';
import { CurrentPrincipal, DefinitionBody } from '../http/request-decorators.js';
import type { PresentedValidation } from './definition.dto.js';
import { DEFINITION_OPERATIONS } from './definition.operations.js';
import { presentValidation } from './definition.presenter.js';

const SCHEMA = cachedDocument('application/schema+json', JSON.stringify(AGENT_V1_SCHEMA, null, 2));

@Controller('v1')
export class DefinitionsController {
  constructor(private readonly validation: DefinitionValidation) {}

  @Post('definitions/validate')
  @HttpCode(200)
  @RequireScopes('agents:read')
  @DEFINITION_OPERATIONS.validate
  async validate(
    @CurrentPrincipal() principal: Principal,
    @DefinitionBody() source: DefinitionSource,
  ): Promise<PresentedValidation> {
    const mayCreate = principal.scopes.has('agents:write');
    return presentValidation(await this.validation.validate(principal.workspaceId, source, mayCreate));
  }

  @Get('schemas/agent.v1.json')
  @Public()
  @DEFINITION_OPERATIONS.schema
  schema(@Res({ passthrough: true }) response: Response): string {
    return sendCached(response, SCHEMA);
  }
}
