import { Clock, DomainError, type ReadCache } from '@app/kernel';
import { parseApiKey } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository, type KeyOwner } from './api-key.repository.js';
import { type KnownKey, KnownKeys } from './known-keys.js';
import type { Principal } from './principal.js';
import { weakerRole } from './roles.js';
import { grantedScopes } from './scopes.js';

type FindOwner = (hash: Buffer) => Promise<KeyOwner | undefined>;

/** Who a presented API key stands for. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly known: KnownKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * The principal of a bearer token. What cannot be a key is refused without asking the database; a known key costs no
   * round trip for 5 seconds.
   * @throws DomainError `invalid_api_key` (malformed, unknown or revoked: all three look the same), `expired_api_key`,
   * `unavailable`
   */
  async authenticate(token: string): Promise<Principal> {
    return this.authenticated(token, this.known.ordinary, (hash) => this.keys.findOwner(hash));
  }

  /** {@link authenticate} over the reserved connections: for what must work when the ordinary ones are all taken. */
  async authenticateUrgently(token: string): Promise<Principal> {
    return this.authenticated(token, this.known.urgent, (hash) => this.keys.findOwnerUrgently(hash));
  }

  private async authenticated(token: string, known: ReadCache<KnownKey>, find: FindOwner): Promise<Principal> {
    const parsed = parseApiKey(token);
    const found = parsed && (await known.get(parsed.hash.toString('base64'), () => this.read(parsed.hash, find)));
    if (!found) throw new DomainError('invalid_api_key', 'This API key is not known here, or it was revoked.');
    if (found.expiresAt && found.expiresAt <= this.clock.now()) {
      throw new DomainError('expired_api_key', `This API key expired at ${found.expiresAt.toISOString()}.`);
    }
    return found.principal;
  }

  private async read(hash: Buffer, find: FindOwner): Promise<KnownKey | undefined> {
    const owner = await find(hash);
    if (!owner) return undefined;
    if (owner.useIsUnrecorded) this.recordUse(owner);
    return { principal: principalOf(owner), expiresAt: owner.expiresAt };
  }

  /**
   * Beside the request, not in its way. When it fails, the next read finds the use unrecorded still and tries again.
   */
  private recordUse({ workspaceId, keyId }: KeyOwner): void {
    this.keys.recordUse(workspaceId, keyId).catch(() => undefined);
  }
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
