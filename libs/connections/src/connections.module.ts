import { EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { AuthorizationsService } from './authorizations.service.js';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import { ConnectionTokensService } from './connection-tokens.service.js';
import { PendingAuthorizationRepository } from './pending-authorization.repository.js';
import { TokenEndpointClient } from './token-endpoint.client.js';

/** Connections: authorisations that people granted, and their tokens. */
@Module({
  imports: [EgressModule],
  providers: [
    AuthorizationsService,
    ConnectionTokenRepository,
    ConnectionTokensService,
    PendingAuthorizationRepository,
    TokenEndpointClient,
  ],
  exports: [AuthorizationsService, ConnectionTokensService],
})
export class ConnectionsModule {}
