import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { AuthorizationsService } from './authorizations.service.js';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import { ConnectionTokensService } from './connection-tokens.service.js';
import { ClientCredentialsService } from './client-credentials.service.js';
import { PendingAuthorizationRepository } from './pending-authorization.repository.js';
import { SharedTokenRepository } from './shared-token.repository.js';
import { SharedTokensService } from './shared-tokens.service.js';
import { TokenEndpointClient } from './token-endpoint.client.js';

/** Connections: authorisations that people granted, and their tokens. */
@Module({
  imports: [EgressModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    AuthorizationsService,
    ClientCredentialsService,
    ConnectionTokenRepository,
    ConnectionTokensService,
    PendingAuthorizationRepository,
    SharedTokenRepository,
    SharedTokensService,
    TokenEndpointClient,
  ],
  exports: [AuthorizationsService, ClientCredentialsService, ConnectionTokensService, SharedTokensService],
})
export class ConnectionsModule {}
