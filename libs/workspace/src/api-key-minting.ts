import { DomainError, newId } from '@app/kernel';
import { type ApiKeyKind, newApiKey } from '@app/platform/crypto';
import type { ApiKeyEntity } from './api-key.entity.js';
import type { MemberEntity } from './member.entity.js';
import { assertLive, type Principal } from './principal.js';
import { grantedScopes, type Role, type Scope, weakerRole } from './roles.js';

export interface KeyGrant {
  name: string;
  kind: ApiKeyKind;
  role: Role;
  scopes: readonly Scope[] | null;
  agents: readonly string[] | null;
  isAutomation: boolean;
  expiresAt: Date | null;
}

export type NewApiKeyRecord = Omit<ApiKeyEntity, 'createdAt'>;

/** The key ends with the key `parentId`. */
export function mintApiKey(
  member: Pick<MemberEntity, 'id' | 'workspaceId'>,
  grant: KeyGrant,
  parentId: string | null = null,
): { key: string; record: NewApiKeyRecord } {
  const { key, hash, prefix, lastFour } = newApiKey(grant.kind);
  const record: NewApiKeyRecord = {
    id: newId('apiKey'),
    workspaceId: member.workspaceId,
    memberId: member.id,
    parentId,
    ...grant,
    scopes: grant.scopes === null ? null : [...grant.scopes],
    agents: grant.agents === null ? null : [...grant.agents],
    hash,
    prefix,
    lastFour,
    revokedAt: null,
    lastUsedAt: null,
    previousHash: null,
    previousExpiresAt: null,
  };
  return { key, record };
}

/** @throws DomainError `invalid_request` */
export function assertWithinMember(grant: KeyGrant, member: Pick<MemberEntity, 'email' | 'role'>): void {
  if (weakerRole(grant.role, member.role) !== grant.role) {
    throw refusal(
      'invalid_request',
      '/role',
      `${member.email} has the role ${member.role}, so a key of this member cannot have the role ${grant.role}.`,
    );
  }
  const ofRole = grantedScopes(grant.role, null);
  const foreign = grant.scopes?.findIndex((scope) => !ofRole.has(scope)) ?? -1;
  if (foreign < 0) return;
  const detail = `The role ${grant.role} does not include ${grant.scopes?.[foreign] ?? ''}.`;
  throw refusal('invalid_request', `/scopes/${foreign}`, detail);
}

/**
 * Asserts that the key has no permission that the actor lacks.
 * @throws DomainError `insufficient_scope`, `test_key_production_mode`
 */
export function assertHolds(
  actor: Principal,
  key: Pick<KeyGrant, 'role' | 'kind' | 'agents' | 'isAutomation'> & { scopes: readonly string[] | null },
): void {
  if (key.kind === 'live') assertLive(actor, 'A test key can create and rotate test keys only.');
  assertWithinLimits(actor, key);
  const missing = [...grantedScopes(key.role, key.scopes)].filter((scope) => !actor.scopes.has(scope));
  if (missing.length === 0) return;
  throw refusal(
    'insufficient_scope',
    '/scopes',
    `You cannot grant scopes that you do not have yourself: ${missing.join(', ')}.`,
  );
}

function assertWithinLimits({ limits }: Principal, key: Pick<KeyGrant, 'agents' | 'isAutomation'>): void {
  if (limits?.isAutomation && !key.isAutomation) {
    const detail = 'A key with `automation: true` can create and rotate only such keys.';
    throw refusal('insufficient_scope', '/automation', detail);
  }
  const own = limits?.agents;
  if (!own || key.agents?.every((id) => own.includes(id))) return;
  const detail =
    'Your key is narrowed to some agents. It can create and rotate only keys that are narrowed to these agents.';
  throw refusal('insufficient_scope', '/agents', detail);
}

function refusal(code: 'invalid_request' | 'insufficient_scope', pointer: string, detail: string): DomainError {
  return new DomainError(code, detail, { errors: [{ pointer, detail }] });
}
