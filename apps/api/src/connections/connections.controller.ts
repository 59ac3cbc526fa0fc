import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type ConnectionEntity, ConnectionsService, OauthProvidersService } from '@app/connections';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { AuthorizationResource } from '../sources/sources.api.js';
import { presentAuthorization } from '../sources/sources.view.js';
import { ConnectionGrantsService } from './connection-grants.service.js';
import {
  ChangeConnectionBody,
  ConnectionProviderPage,
  ConnectionResource,
  CreateConnectionBody,
  NewConnectionResource,
  presentConnection,
  presentNewConnection,
  presentProvider,
} from './connections.api.js';

@Tag('Workspace')
@Controller('v1')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly grants: ConnectionGrantsService,
    private readonly providers: OauthProvidersService,
    private readonly pages: ListPagesService,
  ) {}

  @Get('connection-providers')
  @RequireScopes('connections:read')
  @Operation('List connection providers', {
    description: 'Lists the OAuth providers of this installation, all on one page. The operator configures them.',
    200: { description: 'All providers.', type: ConnectionProviderPage },
  })
  listConnectionProviders(): ConnectionProviderPage {
    const found = this.providers.names.flatMap((name) => this.providers.find(name) ?? []);
    return { data: found.map(presentProvider) };
  }

  @Get('connections')
  @RequireScopes('connections:read')
  @Operation('List connections', {
    description: 'Lists the connections. No operation returns their tokens.',
    200: { description: 'One page of connections.', page: ConnectionResource },
  })
  listConnections(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<ConnectionResource>> {
    const { workspaceId } = principal;
    const read = this.connections.list.bind(this.connections, workspaceId);
    const present = (connection: ConnectionEntity) => presentConnection(connection, principal);
    return this.pages.answer(query, { list: 'connections', workspaceId, read, present });
  }

  @Post('connections')
  @RequireScopes('connections:write')
  @RequireLive()
  @Operation('Create a connection', {
    description:
      'Creates a connection to an account at an OAuth provider. After a person has opened `authorize_url` and ' +
      'granted access, tools can use it with `auth: {type: oauth2, connection: <name>}`. If the id of an agent is ' +
      'unknown, the call is rejected with 422 `unknown_reference`.',
    201: { description: 'The new connection.', type: NewConnectionResource, location: 'Address of the connection.' },
    problems: ['name_taken', 'unknown_reference'],
  })
  async createConnection(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() { name, provider, scopes, agents = [] }: CreateConnectionBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewConnectionResource> {
    const wanted = { name, provider, scopes, agents };
    const claim = claimOf({ name, provider, scopes: scopes ?? null, agents });
    const { connection, authorization } = answered(response, await this.grants.create(actor, wanted, claim)).result;
    const resource = presentNewConnection(connection, authorization, actor);
    return created(response, `/v1/connections/${connection.id}`, resource);
  }

  @Get('connections/:id')
  @RequireScopes('connections:read')
  @Operation('Get a connection', {
    description: 'Returns the connection. No operation returns its tokens.',
    200: { description: 'The connection.', type: ConnectionResource },
  })
  async getConnection(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'connection') id: string,
  ): Promise<ConnectionResource> {
    return presentConnection(await this.connections.get(principal.workspaceId, id), principal);
  }

  @Patch('connections/:id')
  @RequireScopes('connections:write')
  @RequireLive()
  @Operation('Replace the agents of a connection', {
    description:
      'Replaces the agents that the connection is granted to. The change applies to calls that begin afterwards.',
    200: { description: 'The connection.', type: ConnectionResource },
    problems: ['unknown_reference'],
  })
  async changeConnection(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'connection') id: string,
    @JsonBody() { agents }: ChangeConnectionBody,
  ): Promise<ConnectionResource> {
    return presentConnection(await this.grants.replaceAgents(actor, id, agents), actor);
  }

  @Post('connections/:id/authorize')
  @RequireScopes('connections:write')
  @RequireLive()
  @Operation('Renew the authorisation of a connection', {
    description:
      'Returns the address at which a person authorises the connection again, for example when its status is `expired`. ' +
      'Until then, an earlier authorisation stays in use.',
    200: { description: 'The address for the authorisation.', type: AuthorizationResource },
  })
  async authorizeConnection(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'connection') id: string,
  ): Promise<AuthorizationResource> {
    return presentAuthorization(await this.connections.renew(actor, id));
  }

  @Delete('connections/:id')
  @RequireScopes('connections:write')
  @RequireLive()
  @Operation('Delete a connection', {
    description:
      'Revokes the tokens at the provider, if it has a revocation endpoint, and deletes the connection. Calls that begin ' +
      'afterwards fail with `connection_forbidden`.',
    204: { description: 'The connection is deleted.' },
  })
  deleteConnection(@CurrentPrincipal() actor: Principal, @PathId('id', 'connection') id: string): Promise<void> {
    return this.connections.delete(actor, id);
  }
}
