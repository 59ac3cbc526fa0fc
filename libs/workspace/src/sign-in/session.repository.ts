import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ApiKeyCacheService } from '../api-key-cache.service.js';
import type { PersonSession } from '../principal.js';
import { IDLE } from './session-owner.store.js';
import { SessionEntity } from './session.entity.js';

export interface EndedSession {
  id: string;
  workspaceId: string;
  email: string;
}

export interface NamedWorkspace {
  id: string;
  name: string;
}

/**
 * The same person's member in another workspace to which the session can switch. Also contains the fields that the new
 * session copies from the current session.
 */
export interface ReachableMember {
  workspaceId: string;
  memberId: string;
  email: string;
  method: 'email' | 'oidc';
  issuer: string | null;
  subject: string | null;
  signedInAt: Date;
  expiresAt: Date;
}

export interface SessionOrigin {
  keyId: string | null;
  keyEndsAt: Date | null;
}

export type NewSession = Omit<SessionEntity, 'createdAt' | 'lastSeenAt'>;

const RECORD_SIGN_IN = `update members set last_used_at = clock_timestamp(), last_signed_in_at = $3
  where workspace_id = $1 and id = $2`;

const REMOVE_SURPLUS = `delete from sessions where workspace_id = $1 and member_id = $2
  and (least(expires_at, last_seen_at + ${IDLE}) <= clock_timestamp()
    or id <= (select id from sessions where workspace_id = $1 and member_id = $2 order by id desc offset $3 limit 1))`;

// Reads across workspaces, because the previous session of a browser may be in another workspace.
const END_BY_TOKEN = `delete from sessions s using members m
  where s.token_hash = $1 and m.workspace_id = s.workspace_id and m.id = s.member_id
  returning s.id, s.workspace_id as "workspaceId", m.email`;

// Omits members that are bound to another person at the OIDC provider of the session.
const REACHABLE = `from sessions s
  join members own on own.workspace_id = s.workspace_id and own.id = s.member_id
  join members m on m.email = own.email or (s.method = 'oidc' and exists (
    select from member_identities i where i.issuer = s.issuer and i.subject = s.subject
      and i.workspace_id = m.workspace_id and i.member_id = m.id))
  where s.id = $1 and s.method in ('email', 'oidc') and not exists (
    select from member_identities i where i.issuer = s.issuer and i.subject <> s.subject
      and i.workspace_id = m.workspace_id and i.member_id = m.id)`;

const FIND_REACHABLE_WORKSPACES: Statement = {
  name: 'workspace.find_reachable_workspaces',
  text: `select distinct w.id, w.name from workspaces w
    where w.id in (select m.workspace_id ${REACHABLE}) order by w.id`,
};

const FIND_REACHABLE_MEMBER: Statement = {
  name: 'workspace.find_reachable_member',
  text: `select m.workspace_id as "workspaceId", m.id as "memberId", m.email, s.method, s.issuer, s.subject,
      s.signed_in_at as "signedInAt", s.expires_at as "expiresAt" ${REACHABLE} and m.workspace_id = $2
    order by (m.email = own.email) desc limit 1`,
};

const KEY_IS_VALID = `k.revoked_at is null and coalesce(k.expires_at > clock_timestamp(), true)
  and (k.hash = s.key_hash or (k.previous_hash = s.key_hash and k.previous_expires_at > clock_timestamp())
    or exists (select from former_secrets f
      where f.owner_id = k.id and f.hash = s.key_hash and f.expires_at > clock_timestamp()))`;

const NOT_EXPIRED = `least(s.expires_at, s.last_seen_at + ${IDLE}) > clock_timestamp()`;

const LOCK_KEY = `select k.id from sessions s join api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  where s.id = $1 for no key update of k`;

const FIND_ORIGIN = `select s.key_id as "keyId", least(k.expires_at, case when k.hash = s.key_hash then null
    when k.previous_hash = s.key_hash then k.previous_expires_at else f.expires_at end) as "keyEndsAt"
  from sessions s
  left join api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
  left join former_secrets f on f.owner_id = k.id and f.hash = s.key_hash
  where s.id = $1 and ${NOT_EXPIRED} and (s.key_id is null or ${KEY_IS_VALID})`;

const listLive = (order: 'asc' | 'desc'): string => `select s.id, s.method, s.created_at as "createdAt",
    s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt", s.user_agent as "userAgent", s.signed_in_at as "signedInAt"
  from sessions s
  where s.workspace_id = $1 and s.member_id = $2 and s.id ${order === 'asc' ? '>' : '<'} $3
    and ${NOT_EXPIRED}
    and (s.key_id is null or exists (
      select from api_keys k where k.workspace_id = s.workspace_id and k.id = s.key_id and ${KEY_IS_VALID}))
  order by s.id ${order} limit $4`;

/** All ids are between `BEFORE_ALL` and `AFTER_ALL` in byte order. */
const BEFORE_ALL = '';
const AFTER_ALL = '~';

@Injectable()
export class SessionRepository {
  constructor(
    @InjectRepository(SessionEntity) private readonly table: Repository<SessionEntity>,
    private readonly statements: Statements,
    private readonly cache: ApiKeyCacheService,
  ) {}

  reachableWorkspaces(sessionId: string): Promise<NamedWorkspace[]> {
    return this.statements.query<NamedWorkspace>(FIND_REACHABLE_WORKSPACES, [sessionId]);
  }

  /**
   * Returns the API key with which the session was started, and the time at which the session ends with it. Locks the
   * key, so that it cannot be revoked or rotated before the transaction ends. Returns undefined if the session has
   * ended.
   */
  async findOrigin(sessionId: string, { manager }: Transaction): Promise<SessionOrigin | undefined> {
    await manager.query(LOCK_KEY, [sessionId]);
    return (await manager.query<SessionOrigin[]>(FIND_ORIGIN, [sessionId]))[0];
  }

  async findReachableMember(sessionId: string, workspaceId: string): Promise<ReachableMember | undefined> {
    const [member] = await this.statements.query<ReachableMember>(FIND_REACHABLE_MEMBER, [sessionId, workspaceId]);
    return member;
  }

  /** Deletes expired sessions of the member. If the member has more than `most` sessions, also deletes the oldest. */
  async insert(session: NewSession, most: number, { manager }: Transaction): Promise<void> {
    const { workspaceId, memberId } = session;
    await manager.query(REMOVE_SURPLUS, [workspaceId, memberId, most - 1]);
    await manager.insert(SessionEntity, session);
    await manager.query(RECORD_SIGN_IN, [workspaceId, memberId, session.signedInAt]);
  }

  pageOfLive(workspaceId: string, memberId: string, { limit, order, after }: PageRequest): Promise<PersonSession[]> {
    const beyond = after ?? (order === 'asc' ? BEFORE_ALL : AFTER_ALL);
    return orUnavailable(
      this.table.query<PersonSession[]>(listLive(order), [workspaceId, memberId, beyond, limit + 1]),
    );
  }

  async end(workspaceId: string, memberId: string, id: string, transaction: Transaction): Promise<boolean> {
    transaction.afterCommit(() => this.cache.invalidateAll());
    return (await transaction.manager.delete(SessionEntity, { workspaceId, memberId, id })).affected === 1;
  }

  async endByToken(tokenHash: Buffer, transaction: Transaction): Promise<EndedSession | undefined> {
    const [[ended]] = await transaction.manager.query<[EndedSession[], number]>(END_BY_TOKEN, [tokenHash]);
    if (ended) transaction.afterCommit(() => this.cache.invalidateAll());
    return ended;
  }
}
