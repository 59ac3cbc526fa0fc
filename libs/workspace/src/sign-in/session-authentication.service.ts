import { type Clock, DomainError, type ReadCache } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import type { ApiKeyCacheService, CachedKey } from '../api-key-cache.service.js';
import type { Principal } from '../principal.js';
import { grantedScopes, weakerRole } from '../roles.js';
import type { SessionOwner, SessionOwnerStore } from './session-owner.store.js';
import { isToken } from './token.js';

type FindOwner = (tokenHash: Buffer) => Promise<SessionOwner | undefined>;

export class SessionAuthenticationService {
  constructor(
    private readonly sessions: SessionOwnerStore,
    private readonly cache: ApiKeyCacheService,
    private readonly clock: Clock,
  ) {}

  /**
   * The result is cached for 5 seconds.
   * @throws DomainError `invalid_session` (malformed, unknown, ended or expired), `unavailable`
   */
  authenticate(token: string): Promise<Principal> {
    return this.authenticated(token, this.cache.sessions, (hash) => this.sessions.findOwner(hash));
  }

  /**
   * Like {@link authenticate}, but uses the reserved database connections, so that it works when all other connections
   * are in use.
   */
  authenticateUrgently(token: string): Promise<Principal> {
    return this.authenticated(token, this.cache.urgentSessions, (hash) => this.sessions.findOwnerUrgently(hash));
  }

  private async authenticated(token: string, known: ReadCache<CachedKey>, find: FindOwner): Promise<Principal> {
    const found = isToken(token) ? await this.lookUp(sha256(token), known, find) : undefined;
    if (!found || (found.expiresAt && found.expiresAt <= this.clock.now())) {
      throw new DomainError('invalid_session', 'This session is unknown or has ended. Sign in again.');
    }
    return found.principal;
  }

  private lookUp(hash: Buffer, known: ReadCache<CachedKey>, find: FindOwner): Promise<CachedKey | undefined> {
    return known.get(hash.toString('base64'), async () => {
      const owner = await find(hash);
      if (!owner) return undefined;
      if (owner.useIsUnrecorded) this.recordUse(owner);
      return { principal: principalOf(owner), expiresAt: owner.endsAt };
    });
  }

  /** If this fails, the next request that reads the session from the database tries to record its use. */
  private recordUse({ workspaceId, id }: SessionOwner): void {
    this.sessions.recordUse(workspaceId, id).catch(() => undefined);
  }
}

function principalOf(owner: SessionOwner): Principal {
  const { id, method, createdAt, lastSeenAt, expiresAt, userAgent, signedInAt, keyId } = owner;
  const role = owner.keyRole === null ? owner.memberRole : weakerRole(owner.keyRole, owner.memberRole);
  return {
    workspaceId: owner.workspaceId,
    workspaceName: owner.workspaceName,
    memberId: owner.memberId,
    email: owner.email,
    role,
    scopes: grantedScopes(role, owner.scopes),
    kind: owner.kind ?? 'live',
    key: null,
    session: { id, method, createdAt, lastSeenAt, expiresAt, userAgent, signedInAt },
    limits: keyId === null ? null : { keyId, agents: owner.agents, isAutomation: owner.isAutomation ?? false },
  };
}
