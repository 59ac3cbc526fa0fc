import { Clock, DomainError, ReadCache } from '@app/kernel';
import { parseApiKey } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import { type KeyGrant, mintApiKey } from './api-key-minting.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository, type KeyOwner } from './api-key.repository.js';
import { parseEmailAddress } from './email-address.js';
import type { Member } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import type { Principal } from './principal.js';
import { weakerRole } from './roles.js';
import { grantedScopes } from './scopes.js';

export interface NewApiKeyRequest extends KeyGrant {
  /** E-mail address of the member it is for. */
  member: string;
}

interface KnownKey {
  principal: Principal;
  expiresAt: Date | null;
}

// A key that was revoked, or whose member lost a role, is dead after this time at the latest. The promise is 10 s; the
// rest of it is left to a slow read.
const MAX_AGE_MILLIS = 5_000;
const KNOWN_KEYS = 10_000;

/** Who a presented API key stands for, and the making of new ones. */
@Injectable()
export class ApiKeys {
  private readonly known: ReadCache<KnownKey>;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly members: MemberRepository,
    private readonly clock: Clock,
  ) {
    this.known = new ReadCache({ limit: KNOWN_KEYS, maxAgeMillis: MAX_AGE_MILLIS, clock });
  }

  /**
   * The principal of a bearer token. What cannot be a key is refused without asking the database; a known key costs no
   * round trip for 5 seconds.
   * @throws DomainError `invalid_api_key` (malformed, unknown or revoked: all three look the same), `expired_api_key`,
   * `unavailable`
   */
  async authenticate(token: string): Promise<Principal> {
    const parsed = parseApiKey(token);
    const found = parsed && (await this.known.get(parsed.hash.toString('base64'), () => this.read(parsed.hash)));
    if (!found) throw new DomainError('invalid_api_key', 'This API key is not known here, or it was revoked.');
    if (found.expiresAt && found.expiresAt <= this.clock.now()) {
      throw new DomainError('expired_api_key', `This API key expired at ${found.expiresAt.toISOString()}.`);
    }
    return found.principal;
  }

  /**
   * A new key in the actor's workspace. Nobody hands out more than they hold: neither beyond the role of the member it is
   * for, nor beyond the actor's own scopes. `key` is its text and cannot be asked for again.
   * @throws DomainError `unknown_reference` (the member), `invalid_request`, `insufficient_scope`
   */
  async create(
    actor: Principal,
    { member: address, ...grant }: NewApiKeyRequest,
  ): Promise<{ apiKey: ApiKey; key: string }> {
    const email = parseEmailAddress(address);
    const member = email === undefined ? null : await this.members.findByEmail(actor.workspaceId, email);
    if (!member) throw refusal('unknown_reference', '/member', `There is no member ${JSON.stringify(address)}.`);
    assertWithinMember(grant, member);
    const missing = [...grantedScopes(grant.role, grant.scopes)].filter((scope) => !actor.scopes.has(scope));
    if (missing.length > 0) {
      throw refusal('insufficient_scope', '/scopes', `Your own key does not hold ${missing.join(', ')}.`);
    }
    const { key, record } = mintApiKey(member, grant);
    return { key, apiKey: await this.keys.insert(record) };
  }

  private async read(hash: Buffer): Promise<KnownKey | undefined> {
    const owner = await this.keys.findOwner(hash);
    if (!owner) return undefined;
    if (owner.useIsUnrecorded) this.recordUse(owner);
    return { principal: principalOf(owner), expiresAt: owner.expiresAt };
  }

  /** Beside the request, not in its way. When it fails, the next read finds the use unrecorded still and tries again. */
  private recordUse({ workspaceId, keyId }: KeyOwner): void {
    this.keys.recordUse(workspaceId, keyId).catch(() => undefined);
  }
}

function assertWithinMember(grant: KeyGrant, member: Member): void {
  if (weakerRole(grant.role, member.role) !== grant.role) {
    const detail = `${member.email} is ${member.role}: their keys can be that at most.`;
    throw refusal('invalid_request', '/role', detail);
  }
  const ofRole = grantedScopes(grant.role, null);
  const foreign = grant.scopes?.findIndex((scope) => !ofRole.has(scope)) ?? -1;
  if (foreign >= 0) {
    const detail = `The role ${grant.role} does not include ${grant.scopes?.[foreign] ?? ''}.`;
    throw refusal('invalid_request', `/scopes/${foreign}`, detail);
  }
}

function refusal(
  code: 'invalid_request' | 'unknown_reference' | 'insufficient_scope',
  pointer: string,
  detail: string,
): DomainError {
  return new DomainError(code, detail, { errors: [{ pointer, detail }] });
}

function principalOf(owner: KeyOwner): Principal {
  const role = weakerRole(owner.keyRole, owner.memberRole);
  return {
    workspaceId: owner.workspaceId,
    workspaceName: owner.workspaceName,
    memberId: owner.memberId,
    email: owner.email,
    role,
    scopes: grantedScopes(role, owner.scopes),
    key: { id: owner.keyId, kind: owner.kind, name: owner.keyName },
  };
}
