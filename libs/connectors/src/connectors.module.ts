import { Module } from '@nestjs/common';
import { OauthProviders } from './oauth/oauth-providers.js';

/** The providers that the operator has described. Connectors need no module: a visit gives them what they use. */
@Module({ providers: [OauthProviders], exports: [OauthProviders] })
export class ConnectorsModule {}
