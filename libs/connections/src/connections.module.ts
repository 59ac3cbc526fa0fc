import { EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { Authorizations } from './authorizations.service.js';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import { ConnectionTokens } from './connection-tokens.service.js';
import { PendingAuthorizationRepository } from './pending-authorization.repository.js';
import { TokenEndpoint } from './token-endpoint.js';

/** Connections: what people have authorised this installation for, and the tokens that it got. */
@Module({
  imports: [EgressModule],
  providers: [
    Authorizations,
    ConnectionTokenRepository,
    ConnectionTokens,
    PendingAuthorizationRepository,
    TokenEndpoint,
  ],
  exports: [Authorizations, ConnectionTokens],
})
export class ConnectionsModule {}
