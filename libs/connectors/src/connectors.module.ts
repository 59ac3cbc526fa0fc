import { Module } from '@nestjs/common';
import { OauthProvidersService } from './oauth/oauth-providers.service.js';

/** The providers that the operator has described. Connectors need no module: a visit gives them what they use. */
@Module({ providers: [OauthProvidersService], exports: [OauthProvidersService] })
export class ConnectorsModule {}
