import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { Public } from '../http/access.decorators.js';
import { Operation, type OperationDescription, Tag } from '../openapi/operation.js';
import { oauthAnswer } from './authorization.api.js';
import { McpOauthGuard } from './mcp-oauth.guard.js';
import { AUTHOR, WORK } from './mcp-resources.js';
import { presentResource, presentServer } from './oauth-metadata.api.js';

const metadata = (standard: string): OperationDescription => ({
  description: `${standard}. Exists with \`MCP_OAUTH=on\` only.`,
  200: oauthAnswer('The metadata.', {}),
  problems: ['not_found'],
});

@Tag('Assistants')
@Controller('.well-known')
@UseGuards(McpOauthGuard)
export class OauthMetadataController {
  constructor(
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
  ) {}

  @Get('oauth-protected-resource/v1/mcp')
  @Public()
  @Operation('Get the metadata of the address for work', metadata('RFC 9728'))
  getMcpResourceMetadata(): object {
    return presentResource(this.address.publicUrl, WORK);
  }

  @Get('oauth-protected-resource/v1/mcp/author')
  @Public()
  @Operation('Get the metadata of the address for authoring', metadata('RFC 9728'))
  getMcpAuthorResourceMetadata(): object {
    return presentResource(this.address.publicUrl, AUTHOR);
  }

  @Get('oauth-authorization-server')
  @Public()
  @Operation('Get the metadata of the authorization server', metadata('RFC 8414'))
  getMcpAuthorizationServer(): object {
    return presentServer(this.address.publicUrl, this.config.mcpRegistration === 'on');
  }
}
