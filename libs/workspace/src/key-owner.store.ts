import type { ApiKeyKind } from '@app/platform/crypto';
import {
  type BatchedStatement,
  byteaText,
  type ReservedStatements,
  type Statement,
  type Statements,
} from '@app/platform/database';
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

/** Finds the owners of API keys. It uses no ORM, because the thread of the emergency stop loads none. */
export class KeyOwnerStore {
  constructor(
    private readonly statements: Statements,
    private readonly reserve: ReservedStatements,
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

  async findRevokedOwner(hash: Buffer): Promise<Pick<KeyOwner, 'workspaceId' | 'email'> | undefined> {
    const [owner] = await this.statements.query<Pick<KeyOwner, 'workspaceId' | 'email'>>(FIND_REVOKED_OWNER, [hash]);
    return owner;
  }

  async recordUse(workspaceId: string, keyId: string): Promise<void> {
    await this.statements.query(RECORD_USE, [workspaceId, keyId]);
  }
}
