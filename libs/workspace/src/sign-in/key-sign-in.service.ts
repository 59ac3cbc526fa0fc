import { Clock, DomainError } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { Transactions } from '@app/platform/database';
import { Inject, Injectable } from '@nestjs/common';
import { ApiKeyRepository, type KeyOwner } from '../api-key.repository.js';
import { RefusedSignInsService } from './refused-sign-ins.service.js';
import { type Browser, SessionsService } from './sessions.service.js';
import { type SignInConfig, signInConfig } from './sign-in.config.js';

/** Exchanges API keys for sessions. The session has the rights of the key and ends when the key becomes invalid. */
@Injectable()
export class KeySignInService {
  constructor(
    private readonly transactions: Transactions,
    private readonly keys: ApiKeyRepository,
    private readonly sessions: SessionsService,
    private readonly refusals: RefusedSignInsService,
    private readonly clock: Clock,
    @Inject(signInConfig.KEY) private readonly config: SignInConfig,
  ) {}

  /**
   * Returns the token of the new session.
   * @throws DomainError `invalid_sign_in` (malformed, unknown, revoked or expired), `sign_in_off`
   */
  async signIn(apiKey: string, browser: Browser): Promise<string> {
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
}
