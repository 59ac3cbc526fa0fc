import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface RequestReader {
  workspaceId: string;
  memberId: string;
  sessionId: string;
}

const SAVE: Statement = {
  name: 'workspace.save_mcp_request',
  text: `insert into mcp_requests (id, sealed, expires_at)
    values ($1, $2, clock_timestamp() + make_interval(secs => $3))
    on conflict on constraint mcp_requests_pk do update set sealed = excluded.sealed`,
};

// A person who has to sign in again gets a new session, which may then continue with the request of the ended one.
const IS_MINE = `r.expires_at > clock_timestamp() and (r.session_id is null or r.session_id = $4
  or (r.workspace_id = $2 and r.member_id = $3
    and not exists (select from sessions s where s.workspace_id = $2 and s.id = r.session_id)))`;

const CLAIM: Statement = {
  name: 'workspace.claim_mcp_request',
  text: `update mcp_requests r set workspace_id = $2, member_id = $3, session_id = $4 where r.id = $1 and ${IS_MINE}
    returning r.sealed`,
};

const TAKE: Statement = {
  name: 'workspace.take_mcp_request',
  text: `delete from mcp_requests r where r.id = $1 and ${IS_MINE} returning r.sealed`,
};

@Injectable()
export class McpRequestStore {
  constructor(
    private readonly statements: Statements,
    private readonly box: SealedBox,
  ) {}

  async save(token: string, content: JsonObject, lifetimeSeconds: number): Promise<void> {
    const id = idOf(token);
    const sealed = this.box.seal(JSON.stringify(content), mcpRequestCell(id));
    await this.statements.query(SAVE, [id, sealed, lifetimeSeconds]);
  }

  /**
   * Returns the request. From the first call on, it belongs to this session. Returns undefined if it is unknown or
   * expired, or if it belongs to another session.
   */
  claim(token: string, reader: RequestReader): Promise<JsonObject | undefined> {
    return this.read(CLAIM, token, reader);
  }

  /** Like {@link claim}, but also deletes the request. Of concurrent calls, only one returns it. */
  take(token: string, reader: RequestReader): Promise<JsonObject | undefined> {
    return this.read(TAKE, token, reader);
  }

  private async read(
    statement: Statement,
    token: string,
    { workspaceId, memberId, sessionId }: RequestReader,
  ): Promise<JsonObject | undefined> {
    const id = idOf(token);
    const values = [id, workspaceId, memberId, sessionId];
    const [found] = await this.statements.query<{ sealed: Buffer }>(statement, values);
    if (!found) return undefined;
    const content = JSON.parse(this.box.openText(found.sealed, mcpRequestCell(id))) as JsonValue;
    return isJsonObject(content) ? content : undefined;
  }
}

function idOf(token: string): string {
  return sha256(token).toString('base64url');
}

export function mcpRequestCell(row: string): SealedCell {
  return { workspace: '', table: 'mcp_requests', column: 'sealed', row };
}
