import type { ApiKeyKind } from '@app/platform/crypto';
import type { ReservedStatements, Statement, Statements } from '@app/platform/database';
import type { PersonSession } from '../principal.js';
import type { Role } from '../roles.js';

export interface SessionOwner extends PersonSession {
  endsAt: Date;
  useIsUnrecorded: boolean;
  memberId: string;
  email: string;
  memberRole: Role;
  workspaceId: string;
  workspaceName: string;
  kind: ApiKeyKind | null;
  keyRole: Role | null;
  scopes: string[] | null;
  keyId: string | null;
  agents: string[] | null;
  isAutomation: boolean | null;
}

/** Time after its last use at which a session ends, in SQL. */
export const IDLE = "interval '12 hours'";

// Reads across workspaces, because this query determines the workspace of a request. A session that was started with an
// API key is valid only as long as the key text with which it was started.
const FIND_OWNER: Statement = {
  name: 'workspace.find_session_owner',
  text: `select s.id, s.method, s.created_at as "createdAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
      s.user_agent as "userAgent", s.signed_in_at as "signedInAt",
      least(s.expires_at, s.last_seen_at + ${IDLE}, k.expires_at, case when k.hash = s.key_hash then null
        when k.previous_hash = s.key_hash then k.previous_expires_at else f.expires_at end) as "endsAt",
      s.last_seen_at < clock_timestamp() - interval '1 minute' as "useIsUnrecorded",
      m.id as "memberId", m.email, m.role as "memberRole", w.id as "workspaceId", w.name as "workspaceName",
      k.kind, k.role as "keyRole", k.scopes, k.id as "keyId", k.agents, k.is_automation as "isAutomation"
    from sessions s
    join members m on m.workspace_id = s.workspace_id and m.id = s.member_id
    join workspaces w on w.id = s.workspace_id
    left join api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id and k.revoked_at is null
    left join former_secrets f on f.owner_id = k.id and f.hash = s.key_hash
    where s.token_hash = $1
      and (s.key_id is null or k.hash = s.key_hash or k.previous_hash = s.key_hash or f.owner_id is not null)`,
};

// Updates `last_seen_at` only if it is more than a minute old. If many processes record a use at the same time, only
// one of them therefore changes the row.
const RECORD_USE: Statement = {
  name: 'workspace.record_session_use',
  text: `with seen as (
      update sessions set last_seen_at = clock_timestamp()
        where workspace_id = $1 and id = $2 and last_seen_at < clock_timestamp() - interval '1 minute'
        returning workspace_id, member_id)
    update members m set last_used_at = clock_timestamp() from seen s
      where m.workspace_id = s.workspace_id and m.id = s.member_id`,
};

/** Finds the owners of sessions. It uses no ORM, because the thread of the emergency stop loads none. */
export class SessionOwnerStore {
  constructor(
    private readonly statements: Statements,
    private readonly reserve: ReservedStatements,
  ) {}

  async findOwner(tokenHash: Buffer): Promise<SessionOwner | undefined> {
    const [owner] = await this.statements.query<SessionOwner>(FIND_OWNER, [tokenHash]);
    return owner;
  }

  async findOwnerUrgently(tokenHash: Buffer): Promise<SessionOwner | undefined> {
    const [owner] = await this.reserve.query<SessionOwner>(FIND_OWNER, [tokenHash]);
    return owner;
  }

  async recordUse(workspaceId: string, sessionId: string): Promise<void> {
    await this.statements.query(RECORD_USE, [workspaceId, sessionId]);
  }
}
