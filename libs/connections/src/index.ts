export {
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  type AuthorizationRequest,
  AuthorizationsService,
  type OpenAuthorization,
} from './authorizations.service.js';
export { type ClientCredentials, ClientCredentialsService } from './client-credentials.service.js';
export { ConnectionAccessService, ConnectionRefused, type ConnectionUse } from './connection-access.service.js';
export { ConnectionAuthorizationsService } from './connection-authorizations.service.js';
export { CONNECTION_STATUSES } from './connection-status.js';
export type { ConnectionEntity } from './connection.entity.js';
export { ConnectionsService, type CreatedConnection, type WantedConnection } from './connections.service.js';
export { ConnectionTokensService } from './connection-tokens.service.js';
export { ConnectionsModule } from './connections.module.js';
export type { OauthProvider } from './oauth-provider.js';
export type { TokenOwner, TokenPlace } from './token-owners.js';
export type { AccessToken, TokenRenewal } from './shared-tokens.service.js';
export { OauthProvidersService, throwAbsent, wrongProvider } from './oauth-providers.service.js';
export { SEALED_CONNECTION_TABLES } from './sealed-tables.js';
export { type GivenTokens, type StoredTokens, TokenRefused } from './oauth-endpoints.client.js';
export { connectionsSchema } from './migrations/index.js';
