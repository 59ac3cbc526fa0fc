import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { KnownJsonBody } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { oauthAnswer } from './authorization.api.js';
import { ClientRegistrationsService } from './client-registrations.service.js';
import { McpOauthGuard } from './mcp-oauth.guard.js';
import { RegisterMcpClientBody } from './oauth-clients.api.js';

@Tag('Assistants')
@Controller('auth/oauth')
@UseGuards(McpOauthGuard)
export class ClientRegistrationController {
  constructor(private readonly registrations: ClientRegistrationsService) {}

  @Post('register')
  @Public()
  @Operation('Register an MCP client', {
    description: 'RFC 7591. Exists with `MCP_DCR=on` only.',
    201: oauthAnswer('The registered client.', {}),
    problems: ['not_found', 'rate_limited'],
  })
  registerMcpClient(
    @KnownJsonBody() body: RegisterMcpClientBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.registrations.register(body, request, response);
  }
}
