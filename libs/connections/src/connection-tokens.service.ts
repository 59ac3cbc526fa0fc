import { constantTimeEqual, SealedBox, type SealedCell } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import type { TokenPlace } from './token-owners.js';
import type { OauthProvider } from './oauth-provider.js';
import { type GivenTokens, OauthEndpointsClient, type StoredTokens, TokenRefused } from './oauth-endpoints.client.js';

/** Tokens are encrypted at rest and refreshed before they expire, by one process at a time. */
@Injectable()
export class ConnectionTokensService {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: ConnectionTokenRepository,
    private readonly endpoint: OauthEndpointsClient,
    private readonly box: SealedBox,
  ) {}

  /** The caller must hold the lock of the source, or the lock of its tokens. */
  storeTokens(place: TokenPlace, { access, refresh, expiresIn }: GivenTokens, transaction: Transaction): Promise<void> {
    const tokens = this.box.seal(JSON.stringify({ access, refresh }), tokensCell(place));
    return this.tokens.put({ ...place, tokens, expiresIn }, transaction);
  }

  removeTokens(workspaceId: string, sourceIds: readonly string[], transaction: Transaction): Promise<void> {
    return this.tokens.remove(workspaceId, sourceIds, transaction);
  }

  /** Returns an access token that is valid for at least one minute. @throws TokenRefused */
  async accessToken(place: TokenPlace, provider: OauthProvider): Promise<string> {
    const stored = await this.tokens.find(place);
    if (stored && !stored.isExpiring) return this.open(place, stored.tokens).access;
    return this.transactions.run((transaction) => this.refresh(place, provider, undefined, transaction));
  }

  /**
   * If another process has already refreshed the tokens, returns the new token of that process.
   * @throws TokenRefused
   */
  renewToken(place: TokenPlace, provider: OauthProvider, refused: string): Promise<string> {
    return this.transactions.run((transaction) => this.refresh(place, provider, refused, transaction));
  }

  /**
   * Refreshes the tokens. Holds the row lock during the request to the provider, so that a concurrent process waits and
   * then finds the new tokens.
   */
  private async refresh(
    place: TokenPlace,
    provider: OauthProvider,
    refused: string | undefined,
    transaction: Transaction,
  ): Promise<string> {
    const stored = await this.tokens.lock(place, transaction);
    if (!stored) throw new TokenRefused('no token is stored', true);
    const { access, refresh } = this.open(place, stored.tokens);
    const isGood = refused === undefined ? !stored.isExpiring : !constantTimeEqual(access, refused);
    if (isGood) return access;
    if (refresh === null)
      throw new TokenRefused('the access token has expired, and the provider returned no refresh token', true);
    const given = await this.endpoint.refresh(provider, refresh);
    // This transaction must not write the row of the source. A transaction that authorises the source locks that row
    // first and then writes the tokens, so the two transactions could deadlock.
    await this.storeTokens(place, given, transaction);
    return given.access;
  }

  private open(place: TokenPlace, sealed: Buffer): StoredTokens {
    return JSON.parse(this.box.openText(sealed, tokensCell(place))) as StoredTokens;
  }
}

export function tokensCell({ workspaceId, sourceId }: TokenPlace): SealedCell {
  return { workspace: workspaceId, table: 'knowledge_source_tokens', column: 'tokens', row: sourceId };
}
