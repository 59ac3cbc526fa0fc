/**
 * Tenancy: workspaces, members, roles, scopes and API keys. Everything else in the service belongs to exactly one
 * workspace, which a request learns from its {@link Principal}.
 */
export {
  ApiKeyRegister,
  type KeyOfMember,
  type NewKeyOfMember,
  LONGEST_GRACE_SECONDS,
  type NewApiKeyRequest,
} from './api-key-register.service.js';
export { ApiKeysModule } from './api-keys.module.js';
export { ApiKeys } from './api-keys.service.js';
export { type AuditAction, RECORDED_ACTIONS, type RefusableAction } from './audit-actions.js';
export type { AuditEventEntity } from './audit-event.entity.js';
export { type AuditEntry, AuditLog } from './audit-log.js';
export { AuditTrail } from './audit-trail.service.js';
export { parseEmailAddress } from './email-address.js';
export { formerSecretCell, FormerSecrets, sealedAsFormer } from './former-secrets.js';
export { IdempotencyModule } from './idempotency.module.js';
export {
  afterEqualRequest,
  type IdempotencyClaim,
  IdempotentRequests,
  type OnceOnly,
} from './idempotent-requests.service.js';
export { Groups, type GroupWithMembers } from './groups.service.js';
export type { MemberEntity } from './member.entity.js';
export { Members } from './members.service.js';
export { PeopleModule } from './people.module.js';
export type { Principal } from './principal.js';
export { type Role, ROLES } from './roles.js';
export { type Scope, SCOPES, scopesOf } from './scopes.js';
export { SEALED_WORKSPACE_TABLES } from './sealed-tables.js';
export { SecretsModule } from './secrets.module.js';
export { type ListedSecret, SECRET_CHANGED, Secrets } from './secrets.service.js';
export { type BootstrapKey, type BootstrapResult, WorkspaceBootstrap } from './workspace-bootstrap.service.js';
export type { WorkspaceEntity } from './workspace.entity.js';
export { WorkspaceModule } from './workspace.module.js';
export { Workspaces } from './workspaces.service.js';
export { workspaceSchema } from './migrations/index.js';
export { type IdempotencyConfig, idempotencyConfig } from './idempotency.config.js';
