import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { McpClientsService, type Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { CreateOauthClientBody, newClientContent, OauthClientResource, presentClient } from './oauth-clients.api.js';

@Tag('Assistants')
@Controller('v1/oauth-clients')
export class OauthClientsController {
  constructor(
    private readonly clients: McpClientsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('keys:manage')
  @Operation('List OAuth clients', {
    description: 'Lists the registered clients of the MCP server.',
    200: { description: 'One page of clients.', page: OauthClientResource },
  })
  listOauthClients(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<OauthClientResource>> {
    const read = this.clients.list.bind(this.clients, workspaceId);
    return this.pages.answer(query, { list: 'oauth-clients', workspaceId, read, present: presentClient });
  }

  @Post()
  @RequireScopes('keys:manage')
  @RequireLive()
  @Operation('Create an OAuth client', {
    description: 'Registers a client that has no metadata document. Only members of the workspace can give it access.',
    201: { description: 'The new client.', type: OauthClientResource },
    problems: IDEMPOTENCY_PROBLEMS,
  })
  async createOauthClient(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateOauthClientBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OauthClientResource> {
    const { name, redirect_uris: redirectUris } = body;
    const made = await this.clients.create(actor, { name, redirectUris }, claimOf(newClientContent(body)));
    return presentClient(answered(response, made).result);
  }

  @Delete(':client_id')
  @RequireScopes('keys:manage')
  @RequireLive()
  @Operation('Delete an OAuth client', {
    description: 'Deletes the client and revokes the access that people gave it.',
    204: { description: 'The client is deleted.' },
  })
  deleteOauthClient(
    @CurrentPrincipal() actor: Principal,
    @PathId('client_id', 'mcpClient', 'client') id: string,
  ): Promise<void> {
    return this.clients.delete(actor, id);
  }
}
