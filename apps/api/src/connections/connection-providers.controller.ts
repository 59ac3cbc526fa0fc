import { Controller, Get } from '@nestjs/common';
import { OauthProvidersService } from '@app/connections';
import { RequireScopes } from '../http/access.decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { ConnectionProviderPage, presentProvider } from './connections.api.js';

@Tag('Workspace')
@Controller('v1/connection-providers')
export class ConnectionProvidersController {
  constructor(private readonly providers: OauthProvidersService) {}

  @Get()
  @RequireScopes('connections:read')
  @Operation('List connection providers', {
    description: 'Lists the OAuth providers of this installation, all on one page. The operator configures them.',
    200: { description: 'All providers.', type: ConnectionProviderPage },
  })
  listConnectionProviders(): ConnectionProviderPage {
    const found = this.providers.names.flatMap((name) => this.providers.find(name) ?? []);
    return { data: found.map(presentProvider) };
  }
}
