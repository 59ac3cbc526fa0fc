import type { Page, PageRequest } from '@app/kernel';
import type { NewApiKey } from '@app/platform/crypto';
import { findPage, orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, Not, Raw, Repository } from 'typeorm';
import type { NewApiKeyRecord } from './api-key-minting.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { FormerSecretStore } from './former-secret.store.js';
import { ApiKeyCacheService } from './api-key-cache.service.js';

export type NamedKey = Pick<ApiKeyEntity, 'id' | 'name'>;

const EMAIL_OF = `select m.email from api_keys k
  join members m on m.workspace_id = k.workspace_id and m.id = k.member_id where k.workspace_id = $1 and k.id = $2`;

// Locks the keys, so that a concurrent authorisation of a CLI either becomes visible to the next call, or fails.
const LOCK_CHILDREN = `select id, name from api_keys
  where workspace_id = $1 and parent_id = any ($2::text[]) and revoked_at is null order by id for no key update`;

const SHORTEN = `update api_keys
  set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => $3))
  where workspace_id = $1 and id = any ($2::text[])`;

const REPLACE_TEXT = `update api_keys
  set previous_hash = hash, previous_expires_at = clock_timestamp() + make_interval(secs => $3), hash = $4, prefix = $5, last_four = $6
  where workspace_id = $1 and id = $2`;

@Injectable()
export class ApiKeyRepository {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly table: Repository<ApiKeyEntity>,
    private readonly cache: ApiKeyCacheService,
    private readonly former: FormerSecretStore,
  ) {}

  /** Returns the e-mail address of the member of the key. */
  async emailOf(workspaceId: string, id: string, { manager }: Transaction): Promise<string> {
    const [owner] = await manager.query<{ email: string }[]>(EMAIL_OF, [workspaceId, id]);
    return owner?.email ?? '';
  }

  async insert(record: NewApiKeyRecord, transaction?: Transaction): Promise<ApiKeyEntity> {
    const table = transaction?.manager.getRepository(ApiKeyEntity) ?? this.table;
    const row = table.create(record);
    await orUnavailable(table.insert(row));
    return row;
  }

  /** Returns a key that is not revoked. With a transaction, locks it until the transaction ends. */
  find(workspaceId: string, id: string, transaction?: Transaction): Promise<ApiKeyEntity | null> {
    const where = { workspaceId, id, revokedAt: IsNull() };
    if (!transaction) return orUnavailable(this.table.findOneBy(where));
    return transaction.manager.findOne(ApiKeyEntity, { where, lock: { mode: 'for_no_key_update' } });
  }

  /** Leaves out MCP clients whose tokens have expired. */
  page(workspaceId: string, page: PageRequest): Promise<Page<ApiKeyEntity>> {
    const valid = { workspaceId, revokedAt: IsNull() };
    const where = [
      { ...valid, kind: Not('mcp' as const) },
      { ...valid, expiresAt: Raw((column) => `${column} > clock_timestamp()`) },
    ];
    return findPage(this.table, where, page);
  }

  /**
   * The replaced text stays valid for `graceSeconds`. The text that the previous rotation replaced moves to {@link
   * FormerSecretStore}. The keys that descend from the key expire after `graceSeconds`, too. The caller must hold the
   * lock of the key.
   */
  async replaceText(
    { workspaceId, id, previousHash: hash, previousExpiresAt: expiresAt }: ApiKeyEntity,
    fresh: NewApiKey,
    graceSeconds: number,
    transaction: Transaction,
  ): Promise<void> {
    const displaced = expiresAt && { hash, expiresAt };
    await this.former.rotate({ workspaceId, ownerId: id }, displaced, graceSeconds, transaction);
    const values = [workspaceId, id, graceSeconds, fresh.hash, fresh.prefix, fresh.lastFour];
    await transaction.manager.query(REPLACE_TEXT, values);
    const descendants = await this.lockDescendants(workspaceId, id, transaction);
    await transaction.manager.query(SHORTEN, [workspaceId, descendants.map((each) => each.id), graceSeconds]);
    transaction.afterCommit(() => this.cache.invalidateAll());
  }

  /** Revokes the key and its descendants. */
  async revoke(workspaceId: string, id: string, transaction: Transaction): Promise<NamedKey[]> {
    const key = await this.find(workspaceId, id, transaction);
    if (!key) return [];
    const revoked = [key, ...(await this.lockDescendants(workspaceId, id, transaction))];
    const where = { workspaceId, id: In(revoked.map((each) => each.id)) };
    await transaction.manager.update(ApiKeyEntity, where, { revokedAt: () => 'clock_timestamp()' });
    for (const { id: ownerId } of revoked) await this.former.deleteAll({ workspaceId, ownerId }, transaction);
    transaction.afterCommit(() => this.cache.invalidateAll());
    return revoked;
  }

  private async lockDescendants(workspaceId: string, id: string, { manager }: Transaction): Promise<NamedKey[]> {
    const descendants: NamedKey[] = [];
    for (let parents = [id]; parents.length > 0;) {
      const children = await manager.query<NamedKey[]>(LOCK_CHILDREN, [workspaceId, parents]);
      descendants.push(...children);
      parents = children.map((child) => child.id);
    }
    return descendants;
  }
}
