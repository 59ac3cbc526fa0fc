import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireKeyOrToken } from '../../http/access.decorators.js';
import type { ApiRequest } from '../../http/request-context.js';
import { CurrentPrincipal, CurrentRequest } from '../../http/request-decorators.js';
import { Operation, Tag } from '../../openapi/operation.js';
import { McpEndpointService } from '../mcp-endpoint.service.js';
import { MAX_ENVELOPE_BYTES, MCP_ANSWERS, MCP_BODY, MCP_PROBLEMS } from '../mcp.api.js';
import { AuthorAddressService } from './author-address.service.js';

@Tag('Assistants')
@Controller('v1/mcp/author')
export class McpAuthorController {
  constructor(
    private readonly endpoint: McpEndpointService,
    private readonly author: AuthorAddressService,
    @Inject(runIntakeConfig.KEY) private readonly intake: RunIntakeConfig,
  ) {}

  @Post()
  @RequireKeyOrToken('/v1/mcp/author', 'agents:write')
  @Operation('Call the MCP server for authoring', {
    description:
      'Serves the Model Context Protocol to assistants that build agents: a guide, validation, runs of drafts in mode ' +
      '`test`, versions and evaluations. A new agent is paused. No tool promotes a version, resumes an agent or decides an ' +
      'approval.',
    ...MCP_ANSWERS,
    problems: MCP_PROBLEMS,
  })
  callAuthoringServer(
    @CurrentPrincipal() principal: Principal,
    @CurrentRequest(MCP_BODY) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    const limit = this.intake.maxInputBytes + MAX_ENVELOPE_BYTES;
    return this.endpoint.answer(this.author, { principal, request, response, limit });
  }
}
