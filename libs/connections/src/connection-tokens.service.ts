import { constantTimeEqual, SealedBox, type SealedCell } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { TokenPlace } from './connection-token.entity.js';
import { ConnectionTokenRepository } from './connection-token.repository.js';
import type { OauthProvider } from './oauth-provider.js';
import { type GivenTokens, TokenEndpointClient, TokenRefused } from './token-endpoint.client.js';

type OpenTokens = Pick<GivenTokens, 'access' | 'refresh'>;

/** The tokens of connections. They are sealed at rest and refreshed before they expire, by one process at a time. */
@Injectable()
export class ConnectionTokensService {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: ConnectionTokenRepository,
    private readonly endpoint: TokenEndpointClient,
    private readonly box: SealedBox,
  ) {}

  /** In the transaction of the caller, which holds the lock of the source. */
  storeTokens(place: TokenPlace, { access, refresh, expiresIn }: GivenTokens, transaction: Transaction): Promise<void> {
    const tokens = this.box.seal(JSON.stringify({ access, refresh }), tokensCell(place));
    return this.tokens.put({ ...place, tokens, expiresIn }, transaction);
  }

  /** In the transaction of the caller, which deletes the sources. */
  removeTokens(workspaceId: string, sourceIds: readonly string[], transaction: Transaction): Promise<void> {
    return this.tokens.remove(workspaceId, sourceIds, transaction);
  }

  /** An access token that is valid for at least a minute. @throws TokenRefused */
  async accessToken(place: TokenPlace, provider: OauthProvider): Promise<string> {
    const stored = await this.tokens.find(place);
    if (stored && !stored.isExpiring) return this.open(place, stored.tokens).access;
    return this.transactions.run((transaction) => this.refresh(place, provider, undefined, transaction));
  }

  /**
   * An access token to replace one that the provider refused. If another process has refreshed it already, its token.
   * @throws TokenRefused
   */
  renewToken(place: TokenPlace, provider: OauthProvider, refused: string): Promise<string> {
    return this.transactions.run((transaction) => this.refresh(place, provider, refused, transaction));
  }

  /** Holds the row lock during the request, so that a second process finds the new tokens. */
  private async refresh(
    place: TokenPlace,
    provider: OauthProvider,
    refused: string | undefined,
    transaction: Transaction,
  ): Promise<string> {
    const stored = await this.tokens.lock(place, transaction);
    if (!stored) throw new TokenRefused('it has none', true);
    const { access, refresh } = this.open(place, stored.tokens);
    const isGood = refused === undefined ? !stored.isExpiring : !constantTimeEqual(access, refused);
    if (isGood) return access;
    if (refresh === null) throw new TokenRefused('its access has ended, and no refresh token was given', true);
    const given = await this.endpoint.refresh(provider, refresh);
    // Does not write the row of the source, since a person who authorises the source locks that row first.
    await this.storeTokens(place, given, transaction);
    return given.access;
  }

  private open(place: TokenPlace, sealed: Buffer): OpenTokens {
    return JSON.parse(this.box.openText(sealed, tokensCell(place))) as OpenTokens;
  }
}

/** The cell for which the tokens of a source are sealed. */
export function tokensCell({ workspaceId, sourceId }: TokenPlace): SealedCell {
  return { workspace: workspaceId, table: 'knowledge_source_tokens', column: 'tokens', row: sourceId };
}
