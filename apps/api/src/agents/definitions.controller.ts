import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { DefinitionSource } from '@app/agents';
import { AGENT_V1_SCHEMA, parseDefinition } from '@app/agents/definition';
import { Public, RequireScopes } from '../http/access.decorators.js';
import { cachedDocument, sendCached } from '../http/cached-document.js';
import { DefinitionBody } from '../http/request-decorators.js';
import type { DefinitionValidation } from './definition.dto.js';
import { DEFINITION_OPERATIONS } from './definition.operations.js';
import { presentValidation } from './definition.presenter.js';

const SCHEMA = cachedDocument('application/schema+json', JSON.stringify(AGENT_V1_SCHEMA, null, 2));

@Controller('v1')
export class DefinitionsController {
  @Post('definitions/validate')
  @HttpCode(200)
  @RequireScopes('agents:read')
  @DEFINITION_OPERATIONS.validate
  validate(@DefinitionBody() { text, format }: DefinitionSource): DefinitionValidation {
    return presentValidation(parseDefinition(text, format));
  }

  @Get('schemas/agent.v1.json')
  @Public()
  @DEFINITION_OPERATIONS.schema
  schema(@Res({ passthrough: true }) response: Response): string {
    return sendCached(response, SCHEMA);
  }
}
