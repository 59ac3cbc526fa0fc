import { type Clock, DomainError, type ReadCache } from '@app/kernel';
import { parseApiKey } from '@app/platform/crypto';
import type { ApiKeyCacheService, CachedKey } from './api-key-cache.service.js';
import type { KeyOwner, KeyOwnerStore } from './key-owner.store.js';
import { mcpTokenId } from './mcp-token-id.js';
import type { Principal } from './principal.js';
import { grantedScopes, weakerRole } from './roles.js';

type FindOwner = (hash: Buffer) => Promise<KeyOwner | undefined>;

/** The form of the tokens of the authorization server. No API key has it. Other texts cause no query. */
const ACCESS_TOKEN = /^[A-Za-z0-9_-]{43}$/;

export class ApiKeyAuthenticationService {
  constructor(
    private readonly keys: KeyOwnerStore,
    private readonly known: ApiKeyCacheService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the principal of an API key, given as a bearer token. The result is cached for 5 seconds.
   * @throws DomainError `invalid_api_key` (the same response for malformed, unknown and revoked keys),
   * `expired_api_key`, `unavailable`
   */
  async authenticate(token: string): Promise<Principal> {
    return this.authenticated(token, this.known.ordinary, (hash) => this.keys.findOwner(hash));
  }

  /**
   * Like {@link authenticate}, but also accepts an access token of an MCP client for this resource.
   * @param resource the address of the route
   */
  async authenticateAt(resource: string, token: string): Promise<Principal> {
    if (!ACCESS_TOKEN.test(token)) return this.authenticate(token);
    const id = mcpTokenId('AccessToken', token);
    const found = await this.known.ordinary.get(`${resource} ${id}`, () =>
      this.described(() => this.keys.findTokenOwner(id, resource)),
    );
    return this.valid(found);
  }

  /**
   * Like {@link authenticate}, but uses the reserved database connections, so that it works when all other connections
   * are in use.
   */
  async authenticateUrgently(token: string): Promise<Principal> {
    return this.authenticated(token, this.known.urgent, (hash) => this.keys.findOwnerUrgently(hash));
  }

  private async authenticated(token: string, known: ReadCache<CachedKey>, find: FindOwner): Promise<Principal> {
    const parsed = parseApiKey(token);
    if (!parsed) return this.valid(undefined);
    const { hash } = parsed;
    return this.valid(await known.get(hash.toString('base64'), () => this.described(() => find(hash))));
  }

  private valid(found: CachedKey | undefined): Principal {
    if (!found) throw new DomainError('invalid_api_key', 'This API key is unknown or was revoked.');
    if (found.expiresAt && found.expiresAt <= this.clock.now()) {
      throw new DomainError('expired_api_key', `This API key expired at ${found.expiresAt.toISOString()}.`);
    }
    return found.principal;
  }

  private async described(find: () => Promise<KeyOwner | undefined>): Promise<CachedKey | undefined> {
    const owner = await find();
    if (!owner) return undefined;
    if (owner.useIsUnrecorded) this.recordUse(owner);
    return { principal: principalOf(owner), expiresAt: owner.expiresAt };
  }

  /** If this fails, the next read of the key records the use. */
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
    kind: owner.kind,
    key: { id: owner.keyId, kind: owner.kind, name: owner.keyName },
    session: null,
    limits: { keyId: owner.keyId, agents: owner.agents, isAutomation: owner.isAutomation },
  };
}
