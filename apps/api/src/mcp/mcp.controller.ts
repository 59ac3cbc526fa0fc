import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireKeyOrToken } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, CurrentRequest } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { MAX_ENVELOPE_BYTES, MCP_ANSWERS, MCP_BODY, MCP_PROBLEMS } from './mcp.api.js';
import { McpEndpointService } from './mcp-endpoint.service.js';
import { WorkAddressService } from './work-address.service.js';

@Tag('Assistants')
@Controller('v1/mcp')
export class McpController {
  constructor(
    private readonly endpoint: McpEndpointService,
    private readonly work: WorkAddressService,
    @Inject(runIntakeConfig.KEY) private readonly intake: RunIntakeConfig,
  ) {}

  @Post()
  @RequireKeyOrToken('/v1/mcp')
  @Operation('Call the MCP server for agents', {
    description:
      'Serves the Model Context Protocol to assistants that use agents. Each agent whose definition has `expose.mcp` is ' +
      'a tool. Also offers `get_run` and `cancel_run`. A tool requires the scope of its operation; a key without a ' +
      'scope does not see the tool.',
    ...MCP_ANSWERS,
    problems: MCP_PROBLEMS,
  })
  callMcpServer(
    @CurrentPrincipal() principal: Principal,
    @CurrentRequest(MCP_BODY) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    const limit = this.intake.maxInputBytes + MAX_ENVELOPE_BYTES;
    return this.endpoint.answer(this.work, { principal, request, response, limit });
  }
}
