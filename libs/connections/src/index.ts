/** Connections: authorisations that people granted at OAuth providers, and their tokens. */
export {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  AuthorizationsService,
  type OpenAuthorization,
} from './authorizations.service.js';
export type { TokenPlace } from './connection-token.entity.js';
export { ConnectionTokensService } from './connection-tokens.service.js';
export { ConnectionsModule } from './connections.module.js';
export type { OauthProvider } from './oauth-provider.js';
export { SEALED_CONNECTION_TABLES } from './sealed-tables.js';
export { type GivenTokens, TokenRefused } from './token-endpoint.client.js';
export { connectionsSchema } from './migrations/index.js';
