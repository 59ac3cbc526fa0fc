import { Clock, DomainError, isId, notFound, type Page, type PageRequest } from '@app/kernel';
import { newApiKey } from '@app/platform/crypto';
import { SnapshotsService, type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { assertHolds, assertWithinMember, type KeyGrant, mintApiKey } from './api-key-minting.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { AuditLogService } from './audit-log.service.js';
import { parseEmailAddress, unknownMember } from './email-address.js';
import { type IdempotencyClaim, IdempotencyStore } from './idempotency.store.js';
import type { MemberEntity } from './member.entity.js';
import { MemberRepository } from './member.repository.js';
import type { Principal } from './principal.js';
import { grantedScopes, type Scope, weakerRole } from './roles.js';

export interface NewApiKeyRequest extends KeyGrant {
  member: string;
}

export interface KeyOfMember {
  apiKey: ApiKeyEntity;
  member: string;
  /** Current scopes of the key. They never exceed those of its member. */
  effectiveScopes: ReadonlySet<Scope>;
}

/** Only this response contains the text; it cannot be retrieved later. */
export interface NewKeyOfMember extends KeyOfMember {
  key: string;
}

const UNROTATABLE =
  'A key of kind `mcp` belongs to an MCP client, which renews its tokens itself. To end its access, delete the key.';

export const MAX_GRACE_SECONDS = 30 * 24 * 3_600;

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly keys: ApiKeyRepository,
    private readonly members: MemberRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    private readonly snapshots: SnapshotsService,
  ) {}

  async list(workspaceId: string, page: PageRequest): Promise<Page<KeyOfMember>> {
    const { data, ...rest } = await this.keys.page(workspaceId, page);
    return { data: await this.withMembers(workspaceId, data), ...rest };
  }

  /** @throws DomainError `not_found`, also for a revoked key or a key of another workspace */
  get(workspaceId: string, keyId: string): Promise<KeyOfMember> {
    return this.snapshots.read(async () => {
      const found = isId('apiKey', keyId) ? await this.keys.find(workspaceId, keyId) : null;
      const [key] = found ? await this.withMembers(workspaceId, [found]) : [];
      if (!key) throw notFound('key', keyId);
      return key;
    });
  }

  /**
   * The key may exceed neither the role of its member nor the scopes of the actor.
   * @throws DomainError `unknown_reference` (the member), `invalid_request`, `insufficient_scope`,
   * `test_key_production_mode`, and the errors of {@link IdempotencyStore.runOnce}
   */
  async create(
    actor: Principal,
    request: NewApiKeyRequest,
    claim?: IdempotencyClaim,
  ): Promise<NewKeyOfMember & { replayed: boolean }> {
    const { workspaceId } = actor;
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, (transaction) =>
      this.make(actor, request, transaction),
    );
    return { ...result, replayed };
  }

  /**
   * The previous text stays valid for `graceSeconds`, at most until the key expires. Texts that earlier rotations
   * replaced keep their own expiry. If `graceSeconds` is 0, all earlier texts become invalid at once. The keys of CLIs
   * that a session of the key authorised expire after `graceSeconds`.
   * @throws DomainError `not_found`, `insufficient_scope` (the key has permissions that the actor lacks),
   * `test_key_production_mode` (the key is live, but the actor is not), `invalid_request` (the key has expired, so a
   * new text would be invalid too, or it is of kind `mcp`), and the errors of {@link IdempotencyStore.runOnce}
   */
  async rotate(
    actor: Principal,
    keyId: string,
    graceSeconds: number,
    claim?: IdempotencyClaim,
  ): Promise<NewKeyOfMember & { replayed: boolean }> {
    const { workspaceId } = actor;
    const { result: key, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const apiKey = isId('apiKey', keyId) ? await this.keys.find(workspaceId, keyId, transaction) : null;
      if (!apiKey) throw notFound('key', keyId);
      const { kind } = apiKey;
      if (kind === 'mcp') throw new DomainError('invalid_request', UNROTATABLE);
      const { role, scopes, agents, isAutomation } = apiKey;
      assertHolds(actor, { kind, role, scopes, agents, isAutomation });
      this.assertNotExpired(apiKey);
      const minted = newApiKey(kind);
      await this.keys.replaceText(apiKey, minted, graceSeconds, transaction);
      const detail = { name: apiKey.name, grace_seconds: graceSeconds };
      await this.audit.record(actor, { action: 'api_key.rotate', target: keyId, detail }, transaction);
      return minted.key;
    });
    return { ...(await this.get(workspaceId, keyId)), key, replayed };
  }

  /**
   * They become invalid in this process at once and in other processes within 10 seconds.
   * @throws DomainError `not_found`
   */
  async revoke(actor: Principal, keyId: string): Promise<void> {
    await this.transactions.run(async (transaction) => {
      const revoked = isId('apiKey', keyId) ? await this.keys.revoke(actor.workspaceId, keyId, transaction) : [];
      if (revoked.length === 0) throw notFound('key', keyId);
      for (const { id: target, name } of revoked) {
        await this.audit.record(actor, { action: 'api_key.delete', target, detail: { name } }, transaction);
      }
    });
  }

  private assertNotExpired({ expiresAt }: ApiKeyEntity): void {
    if (!expiresAt || expiresAt > this.clock.now()) return;
    const detail = `The key expired at ${expiresAt.toISOString()}, and a rotation does not change that. Create a new key with POST /v1/api-keys and delete this one.`;
    throw new DomainError('invalid_request', detail);
  }

  private async make(
    actor: Principal,
    { member: address, ...grant }: NewApiKeyRequest,
    transaction: Transaction,
  ): Promise<NewKeyOfMember> {
    const email = parseEmailAddress(address);
    const member = email === undefined ? null : await this.members.findByEmail(actor.workspaceId, email, transaction);
    if (!member) {
      const detail = unknownMember(address);
      throw new DomainError('unknown_reference', detail, { errors: [{ pointer: '/member', detail }] });
    }
    if (grant.expiresAt && grant.expiresAt <= this.clock.now()) {
      const detail = 'expires_at must be in the future.';
      throw new DomainError('invalid_request', detail, { errors: [{ pointer: '/expires_at', detail }] });
    }
    assertWithinMember(grant, member);
    assertHolds(actor, grant);
    const { key, record } = mintApiKey(member, grant);
    const apiKey = await this.keys.insert(record, transaction);
    const { name, kind, role, agents, isAutomation } = grant;
    const limits = { ...(agents && { agents: [...agents] }), ...(isAutomation && { automation: true }) };
    const detail = { name, kind, role, member: member.email, ...limits };
    await this.audit.record(actor, { action: 'api_key.create', target: apiKey.id, detail }, transaction);
    return { ...keyOfMember(apiKey, member), key };
  }

  private async withMembers(workspaceId: string, keys: readonly ApiKeyEntity[]): Promise<KeyOfMember[]> {
    const memberIds = keys.map((key) => key.memberId);
    const members = await this.members.findByIds(workspaceId, memberIds);
    return keys.flatMap((apiKey) => {
      const member = members.get(apiKey.memberId);
      return member === undefined ? [] : [keyOfMember(apiKey, member)];
    });
  }
}

function keyOfMember(apiKey: ApiKeyEntity, { email, role }: MemberEntity): KeyOfMember {
  const effectiveScopes = grantedScopes(weakerRole(apiKey.role, role), apiKey.scopes);
  return { apiKey, member: email, effectiveScopes };
}
