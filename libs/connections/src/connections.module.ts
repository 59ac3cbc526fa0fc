import { EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Authorizations } from './authorizations.service.js';
import { ConnectionToken } from './connection-token.entity.js';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import { ConnectionTokens } from './connection-tokens.service.js';
import { PendingAuthorization } from './pending-authorization.entity.js';
import { PendingAuthorizationRepository } from './pending-authorization.repository.js';
import { TokenEndpoint } from './token-endpoint.js';

/** Connections: what people have authorised this installation for, and the tokens that it got. */
@Module({
  imports: [TypeOrmModule.forFeature([PendingAuthorization, ConnectionToken]), EgressModule],
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
