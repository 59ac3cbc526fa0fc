import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthorizationsService } from './authorizations.service.js';
import { ConnectionAccessService } from './connection-access.service.js';
import { ConnectionAuthorizationsService } from './connection-authorizations.service.js';
import { ConnectionEntity } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import { ConnectionTokensService } from './connection-tokens.service.js';
import { ClientCredentialsService } from './client-credentials.service.js';
import { ConnectionsService } from './connections.service.js';
import { OauthProvidersService } from './oauth-providers.service.js';
import { PendingAuthorizationRepository } from './pending-authorization.repository.js';
import { SharedTokenRepository } from './shared-token.repository.js';
import { SharedTokensService } from './shared-tokens.service.js';
import { OauthEndpointsClient } from './oauth-endpoints.client.js';

@Module({
  imports: [EgressModule, IdempotencyModule, WorkspaceModule, TypeOrmModule.forFeature([ConnectionEntity])],
  providers: [
    { provide: Clock, useValue: systemClock },
    AuthorizationsService,
    ClientCredentialsService,
    ConnectionAccessService,
    ConnectionAuthorizationsService,
    ConnectionRepository,
    ConnectionTokenRepository,
    ConnectionTokensService,
    ConnectionsService,
    OauthProvidersService,
    PendingAuthorizationRepository,
    SharedTokenRepository,
    SharedTokensService,
    OauthEndpointsClient,
  ],
  exports: [
    AuthorizationsService,
    ClientCredentialsService,
    ConnectionAccessService,
    ConnectionAuthorizationsService,
    ConnectionsService,
    ConnectionTokensService,
    OauthProvidersService,
  ],
})
export class ConnectionsModule {}
