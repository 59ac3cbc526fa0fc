import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import type { Principal } from '@app/workspace';
import { AnyKey, RequireRecentSignIn } from '../http/access.decorators.js';
import { CurrentPrincipal, JsonBody, PathText } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { DecideMcpAccessBody, McpAccessDecision, McpAccessRequest } from './authorization-requests.api.js';
import { AuthorizationRequestsService } from './authorization-requests.service.js';
import { McpOauthGuard } from './mcp-oauth.guard.js';

const ID = 'Id of the request.';

@Tag('Assistants')
@Controller('auth/oauth/requests')
@UseGuards(McpOauthGuard)
export class AuthorizationRequestsController {
  constructor(private readonly requests: AuthorizationRequestsService) {}

  @Get(':id')
  @AnyKey()
  @Operation('Get a request for access', {
    description: 'A request ends after ten minutes. It belongs to the person who reads it first.',
    sessionOnly: true,
    200: { description: 'The request.', type: McpAccessRequest },
    problems: ['not_found', 'sign_in_again'],
  })
  getMcpAccessRequest(
    @CurrentPrincipal() principal: Principal,
    @PathText('id', ID) id: string,
  ): Promise<McpAccessRequest> {
    return this.requests.get(principal, id);
  }

  @Post(':id')
  @AnyKey()
  @RequireRecentSignIn()
  @Operation('Decide a request for access', {
    description: 'A request can be decided once. The access appears among the API keys, with the kind `mcp`.',
    sessionOnly: true,
    200: { description: 'The decision.', type: McpAccessDecision },
    problems: ['not_found', 'unknown_reference', 'insufficient_scope'],
  })
  async decideMcpAccessRequest(
    @CurrentPrincipal() principal: Principal,
    @PathText('id', ID) id: string,
    @JsonBody() body: DecideMcpAccessBody,
  ): Promise<McpAccessDecision> {
    return { redirect_to: await this.requests.decide(principal, id, body) };
  }
}
