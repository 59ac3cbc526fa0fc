/** The {@link Principal} of a request determines its workspace. */
export {
  ApiKeysService,
  type KeyOfMember,
  type NewKeyOfMember,
  MAX_GRACE_SECONDS,
  type NewApiKeyRequest,
} from './api-keys.service.js';
export { ApiKeysModule } from './api-keys.module.js';
export { ApiKeyAuthenticationService } from './api-key-authentication.service.js';
export { ApiKeyCacheService } from './api-key-cache.service.js';
export { type AuditAction, RECORDED_ACTIONS, type RefusableAction } from './audit-actions.js';
export type { AuditEventEntity, AuditFilter } from './audit-event.entity.js';
export { type AuditEntry, AuditLogService } from './audit-log.service.js';
export { parseEmailAddress } from './email-address.js';
export { formerSecretCell, FormerSecretStore, sealAsFormer } from './former-secret.store.js';
export { IdempotencyModule } from './idempotency.module.js';
export { afterEqualRequest, type IdempotencyClaim, IdempotencyStore, type OnceOnly } from './idempotency.store.js';
export { GroupsService, type GroupWithMembers } from './groups.service.js';
export { KeyOwnerStore } from './key-owner.store.js';
export type { MemberEntity } from './member.entity.js';
export { MembersService } from './members.service.js';
export { PeopleModule } from './people.module.js';
export {
  agentsOf,
  assertAllAgents,
  assertLive,
  type PersonSession,
  type Principal,
  replacedAgents,
  seenAgents,
  seesAgent,
  SIGN_IN_METHODS,
  type SignInMethod,
} from './principal.js';
export { RefusalLogService } from './refusal-log.service.js';
export { type Role, ROLES, type Scope, SCOPES, scopesOf } from './roles.js';
export type { SavedViewEntity } from './saved-view.entity.js';
export { SavedViewsService, type ViewChange } from './saved-views.service.js';
export { SEALED_WORKSPACE_TABLES } from './sealed-tables.js';
export { SecretsModule } from './secrets.module.js';
export { type ListedSecret, SECRET_CHANGED, SecretsService } from './secrets.service.js';
export { type BootstrapKey, type BootstrapResult, WorkspaceBootstrapService } from './workspace-bootstrap.service.js';
export { VIEW_SCREENS, type ViewScreen } from './view-screens.js';
export type { WorkspaceEntity } from './workspace.entity.js';
export { WorkspaceModule } from './workspace.module.js';
export { WorkspaceStore } from './workspace.store.js';
export { type AuthorizedKey, CliAuthorizationsService } from './sign-in/cli-authorizations.service.js';
export { EmailSignInService } from './sign-in/email-sign-in.service.js';
export { type Invitation, InvitationsService } from './sign-in/invitations.service.js';
export { OidcSignInService } from './sign-in/oidc-sign-in.service.js';
export { type PrintedLink, PrintedLinksService } from './sign-in/printed-links.service.js';
export { SignInMailsService } from './sign-in/sign-in-mails.service.js';
export { isToken, newToken } from './sign-in/token.js';
export { SessionOwnerStore } from './sign-in/session-owner.store.js';
export { SessionAuthenticationService } from './sign-in/session-authentication.service.js';
export { assertRecentSignIn, type Browser, SessionsService } from './sign-in/sessions.service.js';
export { type SignInConfig, signInConfig } from './sign-in/sign-in.config.js';
export { SignInModule } from './sign-in/sign-in.module.js';
export { SignInService } from './sign-in/sign-in.service.js';
export { KEY_KINDS, type KeyKind } from './key-kinds.js';
export type { McpClientEntity } from './mcp-oauth/mcp-client.entity.js';
export { McpClientsService } from './mcp-oauth/mcp-clients.service.js';
export { mayGrant, McpGrantsService } from './mcp-oauth/mcp-grants.service.js';
export { McpOauthDataModule } from './mcp-oauth/mcp-oauth-data.module.js';
export { McpRequestStore, type RequestReader } from './mcp-oauth/mcp-request.store.js';
export { MCP_TOKEN_KINDS, type McpTokenKind } from './mcp-oauth/mcp-token-kinds.js';
export { type McpToken, McpTokenStore } from './mcp-oauth/mcp-token.store.js';
export { isLoopbackUri, isRedirectUri } from './mcp-oauth/redirect-uris.js';
export { SEALED_MCP_TABLES } from './mcp-oauth/sealed-mcp-tables.js';
export { workspaceSchema } from './migrations/index.js';
export { type IdempotencyConfig, idempotencyConfig } from './idempotency.config.js';
