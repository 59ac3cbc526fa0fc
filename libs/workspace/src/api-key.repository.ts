import type { PageRequest } from '@app/kernel';
import type { ApiKeyKind, NewApiKey } from '@app/platform/crypto';
import {
  type BatchedStatement,
  byteaText,
  orUnavailable,
  ReservedStatements,
  type Statement,
  Statements,
  type Transaction,
} from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, LessThan, MoreThan, Not, Raw, Repository } from 'typeorm';
import type { NewApiKeyRecord } from './api-key-minting.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { FormerSecretStore } from './former-secret.store.js';
import { ApiKeyCacheService } from './api-key-cache.service.js';
import type { Role } from './roles.js';

export interface KeyOwner {
  keyId: string;
  keyName: string;
  kind: ApiKeyKind;
  keyRole: Role;
  scopes: string[] | null;
  agents: string[] | null;
  isAutomation: boolean;
  /** A rotation sets this time for the text that it replaces. */
  expiresAt: Date | null;
  /** True if the key was never used, or if its last recorded use is at least a minute old. */
  useIsUnrecorded: boolean;
  memberId: string;
  email: string;
  memberRole: Role;
  workspaceId: string;
  workspaceName: string;
}

export type NamedKey = Pick<ApiKeyEntity, 'id' | 'name'>;

// Reads across workspaces, because this query determines the workspace of a request.
const OWNER = `select k.id as "keyId", k.name as "keyName", k.kind, k.role as "keyRole", k.scopes, k.agents,
      k.is_automation as "isAutomation",
      least(k.expires_at, case when k.hash = c.hash then null when k.previous_hash = c.hash then k.previous_expires_at else f.expires_at end)
        as "expiresAt",
      coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as "useIsUnrecorded",
      m.id as "memberId", m.email, m.role as "memberRole", w.id as "workspaceId", w.name as "workspaceName"
    from api_keys k
    join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join workspaces w on w.id = k.workspace_id
    left join former_secrets f on f.owner_id = k.id and f.hash = c.hash
    where (k.hash = c.hash or k.previous_hash = c.hash or k.id = (select owner_id from former_secrets where hash = c.hash))
      and k.revoked_at is null`;
const FIND_OWNER: BatchedStatement = {
  name: 'workspace.find_key_owner',
  text: `select o.* from jsonb_to_record($1::jsonb) as c(hash bytea) cross join lateral (${OWNER}) o`,
  batch: {
    name: 'workspace.find_key_owners',
    text: `select c.call::integer as call, o.*
      from rows from (jsonb_to_recordset($1::jsonb) as (hash bytea)) with ordinality as c(hash, call)
      cross join lateral (${OWNER}) o`,
  },
};

// Reads across workspaces, like the query of keys. A token is valid at one address only.
const FIND_TOKEN_OWNER: Statement = {
  name: 'workspace.find_mcp_token_owner',
  text: `select k.id as "keyId", k.name as "keyName", 'live' as kind, k.role as "keyRole", k.scopes, k.agents,
      k.is_automation as "isAutomation", least(k.expires_at, t.expires_at) as "expiresAt",
      coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as "useIsUnrecorded",
      m.id as "memberId", m.email, m.role as "memberRole", w.id as "workspaceId", w.name as "workspaceName"
    from mcp_tokens t
    join api_keys k on k.id = t.key_id and k.workspace_id = t.workspace_id
    join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join workspaces w on w.id = k.workspace_id
    where t.id = $1 and t.kind = 'AccessToken' and t.resource = $2 and k.revoked_at is null`,
};

const EMAIL_OF = `select m.email from api_keys k
  join members m on m.workspace_id = k.workspace_id and m.id = k.member_id where k.workspace_id = $1 and k.id = $2`;

// Reads across workspaces, because a request with a revoked key is recorded in the audit log of the key's workspace.
const FIND_REVOKED_OWNER: Statement = {
  name: 'workspace.find_revoked_key_owner',
  text: `select k.workspace_id as "workspaceId", m.email
    from api_keys k join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    where (k.hash = $1 or k.previous_hash = $1) and k.revoked_at is not null`,
};

// The condition on the time ensures that the use of a key is written at most once a minute, by one of all processes.
const RECORD_USE: Statement = {
  name: 'workspace.record_key_use',
  text: `update api_keys set last_used_at = clock_timestamp()
    where workspace_id = $1 and id = $2
      and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`,
};

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
    private readonly statements: Statements,
    private readonly reserve: ReservedStatements,
    private readonly cache: ApiKeyCacheService,
    private readonly former: FormerSecretStore,
  ) {}

  async findOwner(hash: Buffer): Promise<KeyOwner | undefined> {
    return this.statements.call<KeyOwner>(FIND_OWNER, { hash: byteaText(hash) });
  }

  async findOwnerUrgently(hash: Buffer): Promise<KeyOwner | undefined> {
    const [owner] = await this.reserve.query<KeyOwner>(FIND_OWNER, [JSON.stringify({ hash: byteaText(hash) })]);
    return owner;
  }

  /** Returns the key of an access token of an MCP client. `id` is the id of its row, `resource` the address. */
  async findTokenOwner(id: string, resource: string): Promise<KeyOwner | undefined> {
    return (await this.statements.query<KeyOwner>(FIND_TOKEN_OWNER, [id, resource]))[0];
  }

  /** Returns the e-mail address of the member of the key. */
  async emailOf(workspaceId: string, id: string, { manager }: Transaction): Promise<string> {
    const [owner] = await manager.query<{ email: string }[]>(EMAIL_OF, [workspaceId, id]);
    return owner?.email ?? '';
  }

  async findRevokedOwner(hash: Buffer): Promise<Pick<KeyOwner, 'workspaceId' | 'email'> | undefined> {
    const [owner] = await this.statements.query<Pick<KeyOwner, 'workspaceId' | 'email'>>(FIND_REVOKED_OWNER, [hash]);
    return owner;
  }

  async recordUse(workspaceId: string, keyId: string): Promise<void> {
    await this.statements.query(RECORD_USE, [workspaceId, keyId]);
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
  page(workspaceId: string, { limit, order, after }: PageRequest): Promise<ApiKeyEntity[]> {
    const beyond = after === undefined ? {} : { id: order === 'asc' ? MoreThan(after) : LessThan(after) };
    const valid = { workspaceId, revokedAt: IsNull(), ...beyond };
    const where = [
      { ...valid, kind: Not('mcp' as const) },
      { ...valid, expiresAt: Raw((column) => `${column} > clock_timestamp()`) },
    ];
    return orUnavailable(this.table.find({ where, order: { id: order }, take: limit + 1 }));
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
