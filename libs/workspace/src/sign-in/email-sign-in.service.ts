import { randomInt } from 'node:crypto';
import { Clock } from '@app/kernel';
import { sha256, SigningKey } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { MemberRepository } from '../member.repository.js';
import { LINK_MILLIS } from './printed-links.service.js';
import { RefusedSignInsService } from './refused-sign-ins.service.js';
import { type Browser, SessionsService } from './sessions.service.js';
import { SignInMailsService } from './sign-in-mails.service.js';
import { type MailedCode, SignInTokenRepository } from './sign-in-token.repository.js';
import { newToken } from './token.js';

const PURPOSE = 'sign-in-code';

/** Signs people in by a mail with a link and a code of six digits. */
@Injectable()
export class EmailSignInService implements OnApplicationShutdown {
  private readonly sending = new Set<Promise<void>>();

  constructor(
    private readonly transactions: Transactions,
    private readonly members: MemberRepository,
    private readonly tokens: SignInTokenRepository,
    private readonly sessions: SessionsService,
    private readonly refusals: RefusedSignInsService,
    private readonly mails: SignInMailsService,
    private readonly signing: SigningKey,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns at once, so that the duration does not reveal whether there is such a member. The code in the mail is valid
   * only in the browser that has `browserToken`.
   */
  request(email: string, browserToken: string): void {
    const sending = this.mails.guard(this.sendMail(email, sha256(browserToken)));
    this.sending.add(sending);
    void sending.finally(() => this.sending.delete(sending));
  }

  /**
   * Returns the token of the new session.
   * @throws DomainError `invalid_sign_in`
   */
  async signIn(email: string, code: string, browserToken: string | undefined, browser: Browser): Promise<string> {
    return this.refusals.prove<string>('email', async () => {
      // The transaction also commits after a wrong code, because it counts the attempt.
      const { mail, proof } = await this.transactions.run(async (transaction) => {
        const mail = await this.tokens.countCode(sha256(browserToken ?? ''), email, transaction);
        return { mail, proof: mail && (await this.spend(mail, code, browser, transaction)) };
      });
      if (proof !== undefined) return { proof };
      return { refused: mail ?? (await this.members.findLastUsed(email)) ?? null };
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.sending);
  }

  private async spend(
    { hash, codeMac }: MailedCode,
    code: string,
    browser: Browser,
    transaction: Transaction,
  ): Promise<string | undefined> {
    if (!this.signing.verify(PURPOSE, signed(hash, code), codeMac)) return undefined;
    const owner = await this.tokens.useCode(hash, transaction);
    return owner && this.sessions.begin({ ...owner, method: 'email' }, browser, transaction);
  }

  private async sendMail(email: string, browserHash: Buffer): Promise<void> {
    const member = await this.members.findLastUsed(email);
    if (!member) return;
    const { token, hash } = newTokenWithoutCodes();
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const codeMac = this.signing.hmac(PURPOSE, signed(hash, code));
    const { workspaceId, memberId } = member;
    const expiresAt = new Date(this.clock.now().getTime() + LINK_MILLIS);
    const mail = { hash, kind: 'email' as const, workspaceId, memberId, expiresAt, codeMac, browserHash };
    await this.transactions.run((transaction) => this.tokens.insertMail(mail, member.email, transaction));
    await this.mails.sendCode(member.email, code, token);
  }
}

function signed(hash: Buffer, code: string): string {
  return `${hash.toString('base64')} ${code}`;
}

/** Returns a token without six digits in a row, so that the code is the only six-digit number in the mail. */
function newTokenWithoutCodes(): { token: string; hash: Buffer } {
  for (;;) {
    const made = newToken();
    if (!/\d{6}/.test(made.token)) return made;
  }
}
