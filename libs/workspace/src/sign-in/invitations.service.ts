import { Clock, isId, notFound } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit-log.service.js';
import { MemberRepository } from '../member.repository.js';
import type { Principal } from '../principal.js';
import { SignInMailsService } from './sign-in-mails.service.js';
import { SignInTokenRepository } from './sign-in-token.repository.js';
import { type SignInConfig, signInConfig } from './sign-in.config.js';
import { newToken } from './token.js';

const INVITATION_MILLIS = 7 * 24 * 3_600_000;

export interface Invitation {
  /** The token is not stored. */
  url: string;
  expiresAt: Date;
  mailed: boolean;
}

@Injectable()
export class InvitationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly members: MemberRepository,
    private readonly tokens: SignInTokenRepository,
    private readonly mails: SignInMailsService,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    @Inject(signInConfig.KEY) private readonly config: SignInConfig,
  ) {}

  /**
   * Invites a member and invalidates the member's previous invitation. If the operator allows only single sign-on, the
   * link has no token.
   * @throws DomainError `not_found`
   */
  async invite(actor: Principal, memberId: string): Promise<Invitation> {
    const { workspaceId } = actor;
    const { token, hash } = newToken();
    const expiresAt = new Date(this.clock.now().getTime() + INVITATION_MILLIS);
    const member = await this.transactions.run(async (transaction) => {
      const found = isId('member', memberId) ? await this.members.find(workspaceId, memberId, transaction) : null;
      if (!found) throw notFound('member', memberId);
      await this.tokens.voidInvitations(workspaceId, memberId, transaction);
      if (!this.config.isOidcOnly) {
        await this.tokens.insert({ hash, kind: 'invitation', workspaceId, memberId, expiresAt }, transaction);
      }
      const detail = { email: found.email };
      await this.audit.record(actor, { action: 'member.invited', target: memberId, detail }, transaction);
      return found;
    });
    const url = this.mails.linkOf(this.config.isOidcOnly ? undefined : token);
    const invitation = { workspace: actor.workspaceName, actor: actor.email, link: url };
    return { url, expiresAt, mailed: await this.mails.sendInvitation(member.email, invitation) };
  }
}
