import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { type Statement, Statements, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../api-key.repository.js';
import { AuditLogService } from '../audit-log.service.js';
import { mcpTokenId } from '../mcp-token-id.js';
import type { McpTokenKind } from './mcp-token-kinds.js';

export interface NewMcpToken {
  kind: McpTokenKind;
  token: string;
  keyId: string;
  clientId: string;
  resource: string | null;
  content: JsonObject;
  lifetimeSeconds: number;
}

export interface McpToken {
  content: JsonObject;
  isConsumed: boolean;
}

interface SealedToken {
  workspaceId: string;
  sealed: Buffer;
  isConsumed: boolean;
}

// All statements read across workspaces, because a token determines its workspace.
const FIND_WORKSPACE: Statement = {
  name: 'workspace.find_mcp_key_workspace',
  text: `select workspace_id as "workspaceId" from api_keys where id = $1 and kind = 'mcp' and revoked_at is null`,
};

// The key lives as long as its longest token, so that the list of keys shows it that long.
const SAVE: Statement = {
  name: 'workspace.save_mcp_token',
  text: `with saved as (
      insert into mcp_tokens (id, kind, workspace_id, key_id, client_id, resource, sealed, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8))
        on conflict on constraint mcp_tokens_pk do update set sealed = excluded.sealed, expires_at = excluded.expires_at
        returning key_id, kind, expires_at)
    update api_keys k set expires_at = greatest(k.expires_at, s.expires_at) from saved s
      where k.id = s.key_id and k.workspace_id = $3 and s.kind in ('AccessToken', 'RefreshToken')`,
};

const FIND: Statement = {
  name: 'workspace.find_mcp_token',
  text: `select t.workspace_id as "workspaceId", t.sealed, t.consumed_at is not null as "isConsumed"
    from mcp_tokens t join api_keys k on k.id = t.key_id
    where t.id = $1 and t.kind = $2 and t.expires_at > clock_timestamp() and k.revoked_at is null`,
};

const CONSUME: Statement = {
  name: 'workspace.consume_mcp_token',
  text: `update mcp_tokens set consumed_at = clock_timestamp() where id = $1 and consumed_at is null returning id`,
};

const DELETE: Statement = { name: 'workspace.delete_mcp_token', text: 'delete from mcp_tokens where id = $1' };

@Injectable()
export class McpTokenStore {
  constructor(
    private readonly statements: Statements,
    private readonly transactions: Transactions,
    private readonly box: SealedBox,
    private readonly keys: ApiKeyRepository,
    private readonly audit: AuditLogService,
  ) {}

  async save({ kind, token, keyId, clientId, resource, content, lifetimeSeconds }: NewMcpToken): Promise<boolean> {
    const [key] = await this.statements.query<{ workspaceId: string }>(FIND_WORKSPACE, [keyId]);
    if (!key) return false;
    const id = mcpTokenId(kind, token);
    const sealed = this.box.seal(JSON.stringify(content), mcpTokenCell(key.workspaceId, id));
    const values = [id, kind, key.workspaceId, keyId, clientId, resource, sealed, lifetimeSeconds];
    await this.statements.query(SAVE, values);
    return true;
  }

  /** Returns undefined for a token that is unknown or expired, or whose key has ended. */
  async find(kind: McpTokenKind, token: string): Promise<McpToken | undefined> {
    const id = mcpTokenId(kind, token);
    const [found] = await this.statements.query<SealedToken>(FIND, [id, kind]);
    if (!found) return undefined;
    const { workspaceId, sealed, isConsumed } = found;
    const content = JSON.parse(this.box.openText(sealed, mcpTokenCell(workspaceId, id))) as JsonValue;
    return isJsonObject(content) ? { content, isConsumed } : undefined;
  }

  /** Returns false if the token was used before. Of concurrent uses, only one succeeds. */
  async consume(kind: McpTokenKind, token: string): Promise<boolean> {
    return (await this.statements.query(CONSUME, [mcpTokenId(kind, token)])).length === 1;
  }

  async delete(kind: McpTokenKind, token: string): Promise<void> {
    await this.statements.query(DELETE, [mcpTokenId(kind, token)]);
  }

  /** Ends the key with all its tokens. An unknown or ended key has no effect. */
  async endKey(keyId: string): Promise<void> {
    const [key] = await this.statements.query<{ workspaceId: string }>(FIND_WORKSPACE, [keyId]);
    if (!key) return;
    await this.transactions.run(async (transaction) => {
      const { workspaceId } = key;
      const [ended] = await this.keys.revoke(workspaceId, keyId, transaction);
      if (!ended) return;
      const actor = { workspaceId, email: await this.keys.emailOf(workspaceId, keyId, transaction) };
      const detail = { name: ended.name };
      await this.audit.record(actor, { action: 'api_key.delete', target: keyId, detail }, transaction);
    });
  }
}

export function mcpTokenCell(workspace: string, row: string): SealedCell {
  return { workspace, table: 'mcp_tokens', column: 'sealed', row };
}
