import { newId } from '@app/kernel';
import { type ApiKeyKind, newApiKey } from '@app/platform/crypto';
import type { ApiKey } from './api-key.entity.js';
import type { Member } from './member.entity.js';
import type { Role } from './roles.js';
import type { Scope } from './scopes.js';

/** What a new key is for. */
export interface KeyGrant {
  name: string;
  kind: ApiKeyKind;
  role: Role;
  /** Null: everything the role allows. */
  scopes: readonly Scope[] | null;
  /** Null: never. */
  expiresAt: Date | null;
}

export type NewApiKeyRecord = Omit<ApiKey, 'createdAt'>;

/** A new key of a member: its text, which exists only here, and what may be stored of it. */
export function mintApiKey(
  member: Pick<Member, 'id' | 'workspaceId'>,
  grant: KeyGrant,
): { key: string; record: NewApiKeyRecord } {
  const { key, hash, prefix, lastFour } = newApiKey(grant.kind);
  const record: NewApiKeyRecord = {
    id: newId('apiKey'),
    workspaceId: member.workspaceId,
    memberId: member.id,
    ...grant,
    scopes: grant.scopes === null ? null : [...grant.scopes],
    hash,
    prefix,
    lastFour,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, record };
}
