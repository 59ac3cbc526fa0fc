import { Clock, DomainError, isId, newId, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { type Transaction, Transactions, withoutTenantRole } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit-log.service.js';
import type { PersonSession, Principal, SignInMethod } from '../principal.js';
import { type NamedWorkspace, SessionRepository } from './session.repository.js';
import { newToken } from './token.js';

const LIFETIME_MILLIS = 7 * 24 * 3_600_000;
const MAX_SESSIONS = 100;
const MAX_USER_AGENT = 500;

export interface Browser {
  userAgent: string;
  previousToken?: string;
}

export interface ProvenMember {
  workspaceId: string;
  memberId: string;
  email: string;
  method: SignInMethod;
  key?: { id: string; hash: Buffer };
  identity?: { issuer: string; subject: string };
  signedInAt?: Date;
  expiresAt?: Date;
}

function isPortable({ method }: PersonSession): boolean {
  return method === 'email' || method === 'oidc';
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly sessions: SessionRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Starts a session and ends the previous session of the browser. */
  async begin(member: ProvenMember, browser: Browser, transaction: Transaction): Promise<string> {
    const { workspaceId, memberId, method, key, identity, signedInAt, expiresAt } = member;
    if (browser.previousToken !== undefined) await this.endPrevious(browser.previousToken, transaction);
    const { token, hash } = newToken();
    const id = newId('session');
    const now = this.clock.now();
    const session = {
      id,
      workspaceId,
      memberId,
      tokenHash: hash,
      method,
      keyId: key?.id ?? null,
      keyHash: key?.hash ?? null,
      issuer: identity?.issuer ?? null,
      subject: identity?.subject ?? null,
      userAgent: browser.userAgent.slice(0, MAX_USER_AGENT),
      signedInAt: signedInAt ?? now,
      expiresAt: expiresAt ?? new Date(now.getTime() + LIFETIME_MILLIS),
    };
    await this.sessions.insert(session, MAX_SESSIONS, transaction);
    const detail = { method, ...(key && { key: key.id }) };
    await this.audit.record(member, { action: 'session.began', target: id, detail }, transaction);
    return token;
  }

  /**
   * Switching requires a sign-in by e-mail or OIDC, because only these methods prove an identity in other workspaces.
   */
  async workspacesOf(principal: Principal): Promise<readonly NamedWorkspace[]> {
    const { workspaceId, workspaceName, session } = principal;
    const reachable = session && isPortable(session) ? await this.sessions.reachableWorkspaces(session.id) : [];
    if (reachable.some(({ id }) => id === workspaceId)) return reachable;
    return [{ id: workspaceId, name: workspaceName }];
  }

  async list({ workspaceId, memberId }: Principal, page: PageRequest): Promise<Page<PersonSession>> {
    return toPage(await this.sessions.pageOfLive(workspaceId, memberId, page), page.limit);
  }

  /**
   * Returns the token of the new session. The new session keeps the sign-in time and the expiry time of the old one.
   * @throws DomainError `sign_in_again` if the caller did not sign in by e-mail or OIDC, `not_found`
   */
  async switchWorkspace({ session }: Principal, workspaceId: string, browser: Browser): Promise<string> {
    if (!session || !isPortable(session)) {
      const detail =
        'This sign-in is valid in its own workspace only. To switch workspaces, sign in by e-mail or single sign-on.';
      throw new DomainError('sign_in_again', detail);
    }
    const isKnown = isId('workspace', workspaceId);
    const member = isKnown ? await this.sessions.findReachableMember(session.id, workspaceId) : undefined;
    if (!member) throw notFound('workspace', workspaceId);
    const { issuer, subject, ...proven } = member;
    const identity = issuer !== null && subject !== null ? { issuer, subject } : undefined;
    // The tenant role would restrict this transaction to the current workspace, but the new session belongs to another.
    return withoutTenantRole(() =>
      this.transactions.run((transaction) =>
        this.begin({ ...proven, ...(identity && { identity }) }, browser, transaction),
      ),
    );
  }

  /** @throws DomainError `not_found`, also for a session of another member */
  async end(actor: Principal, sessionId: string): Promise<void> {
    const { workspaceId, memberId } = actor;
    await this.transactions.run(async (transaction) => {
      const isKnown = isId('session', sessionId);
      const hasEnded = isKnown && (await this.sessions.end(workspaceId, memberId, sessionId, transaction));
      if (!hasEnded) throw notFound('session', sessionId);
      await this.audit.record(actor, { action: 'session.ended', target: sessionId, detail: {} }, transaction);
    });
  }

  async signOut(token: string): Promise<void> {
    await this.transactions.run((transaction) => this.endPrevious(token, transaction));
  }

  private async endPrevious(token: string, transaction: Transaction): Promise<void> {
    const ended = await this.sessions.endByToken(sha256(token), transaction);
    if (ended) await this.audit.record(ended, { action: 'session.ended', target: ended.id, detail: {} }, transaction);
  }
}

/**
 * Asserts that the person has signed in within the last ten minutes.
 * @throws DomainError `sign_in_again`
 */
export function assertRecentSignIn({ session }: Principal, now: Date): void {
  if (!session || now.getTime() - session.signedInAt.getTime() <= RECENT_MILLIS) return;
  const detail = 'This operation requires a sign-in that is at most ten minutes old. Sign in again.';
  throw new DomainError('sign_in_again', detail);
}

const RECENT_MILLIS = 10 * 60_000;
