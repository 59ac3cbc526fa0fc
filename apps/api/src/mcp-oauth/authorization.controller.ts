import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentRequest } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { oauthAnswer, oauthForm } from './authorization.api.js';
import { AuthorizationServerService } from './authorization-server.service.js';
import { McpOauthGuard } from './mcp-oauth.guard.js';

@Tag('Assistants')
@Controller('auth/oauth')
@UseGuards(McpOauthGuard)
export class AuthorizationController {
  constructor(private readonly server: AuthorizationServerService) {}

  @Get('authorize')
  @Public()
  @Operation('Ask for access as an MCP client', {
    description: 'OAuth 2.1 with S256 and `resource`. Without a known client and redirect address, it never redirects.',
    303: {
      description: 'A redirect.',
      location: 'Page of the console, or the client with `error`, `iss` and `state`.',
    },
    problems: ['invalid_request', 'not_found'],
  })
  authorizeMcpClient(@Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    return this.server.answer(request, response);
  }

  @Post('token')
  @Public()
  @Operation('Get tokens as an MCP client', {
    description: 'Errors have the form of RFC 6749. A refresh token that is used twice ends the access.',
    200: oauthAnswer('The tokens.', { access_token: '…', token_type: 'Bearer', expires_in: 3600 }),
    problems: ['not_found'],
  })
  issueMcpToken(
    @CurrentRequest(oauthForm({ grant_type: 'refresh_token' })) request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.server.answer(request, response);
  }

  @Post('revoke')
  @Public()
  @Operation('Revoke a token as an MCP client', {
    description: 'Ends the access of the token (RFC 7009).',
    200: {
      description: 'The token is invalid, known or not.',
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
    problems: ['not_found'],
  })
  revokeMcpToken(
    @CurrentRequest(oauthForm({ token: '…' })) request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.server.answer(request, response);
  }
}
