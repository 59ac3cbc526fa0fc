import { Module } from '@nestjs/common';
import { OauthProvidersService } from './oauth/oauth-providers.service.js';

/**
 * The OAuth providers of this installation. Connectors need no module, because `ConnectorTools` and the visit provide
 * everything that they use.
 */
@Module({ providers: [OauthProvidersService], exports: [OauthProvidersService] })
export class ConnectorsModule {}
