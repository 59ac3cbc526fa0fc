import { Clock, DomainError } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { type KeyOwner, KeyOwnerStore } from '../key-owner.store.js';
import { RefusedSignInsService } from './refused-sign-ins.service.js';
import { type Browser, SessionsService } from './sessions.service.js';
import type { SignInTokenKind } from './sign-in-token.entity.js';
import { SignInTokenRepository, type TokenOwner } from './sign-in-token.repository.js';
import { type SignInConfig, signInConfig } from './sign-in.config.js';

const LINKS: readonly SignInTokenKind[] = ['link', 'invitation', 'email'];

/**
 * Exchanges the tokens of sign-in links and API keys for sessions. The links come from operator commands, invitations
 * and mails.
 */
@Injectable()
export class SignInService {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: SignInTokenRepository,
    private readonly keys: KeyOwnerStore,
    private readonly sessions: SessionsService,
    private readonly refusals: RefusedSignInsService,
    private readonly clock: Clock,
    @Inject(signInConfig.KEY) private readonly config: SignInConfig,
  ) {}

  /**
   * A link can be used once.
   * @throws DomainError `invalid_sign_in` (unknown, used or expired), `sign_in_off`
   */
  async signInWithLink(token: string, browser: Browser): Promise<string> {
    const hash = sha256(token);
    return this.refusals.prove<string>('link', async () => {
      const proof = await this.transactions.run((transaction) => this.spend(hash, browser, transaction));
      return proof === undefined ? { refused: (await this.tokens.findOwner(hash)) ?? null } : { proof };
    });
  }

  /**
   * The session has the rights of the key and ends when the key becomes invalid.
   * @throws DomainError `invalid_sign_in` (malformed, unknown, revoked or expired), `sign_in_off`
   */
  async signInWithKey(apiKey: string, browser: Browser): Promise<string> {
    if (!this.config.allowsKey)
      throw new DomainError('sign_in_off', 'Sign-in with an API key is disabled in this installation.');
    const hash = sha256(apiKey);
    const member = await this.refusals.prove<KeyOwner>('key', async () => {
      const owner = await this.keys.findOwner(hash);
      if (!owner) return { refused: (await this.keys.findRevokedOwner(hash)) ?? null };
      const isExpired = owner.expiresAt !== null && owner.expiresAt <= this.clock.now();
      return isExpired ? { refused: owner } : { proof: owner };
    });
    const { workspaceId, memberId, email, keyId } = member;
    const proven = { workspaceId, memberId, email, method: 'key' as const, key: { id: keyId, hash } };
    return this.transactions.run((transaction) => this.sessions.begin(proven, browser, transaction));
  }

  /**
   * If the sign-in method of the link is disabled, throws and thereby rolls back the transaction, so that the link can
   * be used after the method is enabled again.
   */
  private async spend(hash: Buffer, browser: Browser, transaction: Transaction): Promise<string | undefined> {
    const owner = await this.tokens.useLink(hash, LINKS, transaction);
    if (!owner) return undefined;
    this.assertOn(owner);
    const { kind, ...member } = owner;
    return this.sessions.begin({ ...member, method: kind === 'cli' ? 'link' : kind }, browser, transaction);
  }

  private assertOn({ kind }: TokenOwner): void {
    if (kind === 'link' || !this.config.isOidcOnly) return;
    throw new DomainError(
      'sign_in_off',
      'This installation allows only single sign-on. Sign in with single sign-on instead of this link.',
    );
  }
}
