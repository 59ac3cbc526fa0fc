import { Clock } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { CLIENT_CREDENTIALS_PREFIX, type LeasedTokens, SharedTokenRepository } from './shared-token.repository.js';
import type { TokenOwner } from './token-owners.js';
import { type GivenTokens, type StoredTokens, TokenRefused } from './oauth-endpoints.client.js';

export interface AccessToken {
  readonly token: string;
  readonly revision: number;
}

/** Throws {@link TokenRefused} if the provider issues no tokens. */
export type TokenRenewal = (current: StoredTokens | undefined) => Promise<GivenTokens>;

const POLL_MILLIS = 250;
/** Together, they outlast a lease, so this process can take over if the lease holder dies. */
const MAX_POLLS = 300;

/**
 * Manages the tokens that all processes of an installation share: those of connections and those of client credentials.
 * The tokens are encrypted at rest. One process at a time renews them, shortly before they expire or when a server has
 * rejected the access token. Meanwhile, other processes use the current token if it is valid; otherwise they wait.
 */
@Injectable()
export class SharedTokensService {
  /** Concurrent callers await the same renewal. */
  private readonly renewals = new Map<string, Promise<AccessToken>>();

  constructor(
    private readonly tokens: SharedTokenRepository,
    private readonly box: SealedBox,
    private readonly clock: Clock,
  ) {}

  /** Returns an access token that has not expired. @throws TokenRefused */
  async accessToken(owner: TokenOwner, renew: TokenRenewal): Promise<AccessToken> {
    const found = await this.tokens.find(owner);
    if (found?.isUsable && !found.isDue) return this.accessOf(owner, found);
    return this.shared(owner, null, renew);
  }

  /** @throws TokenRefused */
  replaceToken(owner: TokenOwner, refused: AccessToken, renew: TokenRenewal): Promise<AccessToken> {
    return this.shared(owner, refused.revision, renew);
  }

  storeTokens(owner: TokenOwner, given: GivenTokens, transaction: Transaction): Promise<void> {
    return this.tokens.put(owner, { tokens: this.sealed(owner, given), expiresIn: given.expiresIn }, transaction);
  }

  async storedTokens(owner: TokenOwner): Promise<StoredTokens | undefined> {
    const found = await this.tokens.find(owner);
    return found && this.opened(owner, found);
  }

  removeTokens(owner: TokenOwner, transaction: Transaction): Promise<void> {
    return this.tokens.remove(owner, transaction);
  }

  private shared(owner: TokenOwner, refused: number | null, renew: TokenRenewal): Promise<AccessToken> {
    const name = `${owner.workspaceId} ${owner.key} ${refused ?? ''}`;
    const running = this.renewals.get(name);
    if (running) return running;
    const renewal = this.renewed(owner, refused, renew).finally(() => this.renewals.delete(name));
    this.renewals.set(name, renewal);
    return renewal;
  }

  private async renewed(owner: TokenOwner, refused: number | null, renew: TokenRenewal): Promise<AccessToken> {
    for (let polls = 0; polls < MAX_POLLS; polls++) {
      const leased = await this.tokens.lease(owner, refused);
      if (leased) return this.renewLeased(owner, leased, refused, renew);
      const found = await this.tokens.find(owner);
      if (found?.isUsable && found.revision !== refused) return this.accessOf(owner, found);
      await this.clock.sleep(POLL_MILLIS);
    }
    throw new TokenRefused('Another process did not finish renewing the token in time.', false);
  }

  private async renewLeased(
    owner: TokenOwner,
    leased: LeasedTokens,
    refused: number | null,
    renew: TokenRenewal,
  ): Promise<AccessToken> {
    let given: GivenTokens;
    try {
      given = await renew(this.opened(owner, leased));
    } catch (error) {
      await this.tokens.release(owner, leased.revision);
      const found = await this.tokens.find(owner);
      const isTemporary = error instanceof TokenRefused && !error.isFinal;
      // A renewal begins before the token expires, so the current token may still be valid after a failed renewal.
      if (isTemporary && found?.isUsable && found.revision !== refused) return this.accessOf(owner, found);
      throw error;
    }
    const stored = { tokens: this.sealed(owner, given), expiresIn: given.expiresIn };
    const revision = await this.tokens.renew(owner, leased.revision, stored);
    if (owner.key.startsWith(CLIENT_CREDENTIALS_PREFIX)) await this.tokens.purge(owner.workspaceId);
    return { token: given.access, revision: revision ?? leased.revision };
  }

  private accessOf(owner: TokenOwner, found: LeasedTokens): AccessToken {
    const opened = this.opened(owner, found);
    if (!opened) throw new TokenRefused('No token is stored.', true);
    return { token: opened.access, revision: found.revision };
  }

  private sealed(owner: TokenOwner, { access, refresh }: GivenTokens): Buffer {
    return this.box.seal(JSON.stringify({ access, refresh }), sharedTokensCell(owner));
  }

  private opened(owner: TokenOwner, { tokens }: LeasedTokens): StoredTokens | undefined {
    if (tokens === null) return undefined;
    return JSON.parse(this.box.openText(tokens, sharedTokensCell(owner))) as StoredTokens;
  }
}

export function sharedTokensCell({ workspaceId, key }: TokenOwner): SealedCell {
  return { workspace: workspaceId, table: 'oauth_tokens', column: 'tokens', row: key };
}
