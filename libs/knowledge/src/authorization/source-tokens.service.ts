import { constantTimeEqual, SealedBox, type SealedCell } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { OauthProvider } from '../connectors/oauth/oauth-providers.js';
import { SourceError } from '../connectors/source-error.js';
import { SourceTokenRepository, type TokenPlace } from './source-token.repository.js';
import { type GivenTokens, TokenEndpoint, TokenRefused } from './token-endpoint.js';

type OpenTokens = Pick<GivenTokens, 'access' | 'refresh'>;

/** What sources with OAuth read their providers with: sealed at rest, renewed in time, by one process of the fleet at a time. */
@Injectable()
export class SourceTokens {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: SourceTokenRepository,
    private readonly endpoint: TokenEndpoint,
    private readonly box: SealedBox,
  ) {}

  /** In the transaction that adds the source, or has it authorised anew. */
  async keep(place: TokenPlace, given: GivenTokens, transaction: Transaction): Promise<void> {
    await this.put(place, given, transaction);
    await this.tokens.setState(place, 'authorized', transaction);
  }

  /**
   * An access token that is good for the next minute.
   * @throws SourceError `authorization_revoked` (the source says so from then on), `token_refused`
   */
  async access(place: TokenPlace, provider: OauthProvider): Promise<string> {
    const stored = await this.tokens.find(place);
    if (stored && !stored.isExpiring) return this.open(place, stored.tokens).access;
    return this.renewed(place, provider, undefined);
  }

  /**
   * An access token in the place of one that the provider refused; the one that another process has got in the meantime, where one has.
   * @throws SourceError as {@link access}
   */
  renew(place: TokenPlace, provider: OauthProvider, refused: string): Promise<string> {
    return this.renewed(place, provider, refused);
  }

  /** The provider accepts nothing of the source any more. @throws SourceError `authorization_revoked`, always */
  async revoked(place: TokenPlace, { title }: OauthProvider, why: string): Promise<never> {
    await this.transactions.run((transaction) => this.tokens.setState(place, 'expired', transaction));
    const message = `${title} does not accept the authorisation of this source any more (${why}). What is indexed stays. Somebody has to authorise it anew: POST …/sources/{id}/authorize.`;
    throw new SourceError('authorization_revoked', message);
  }

  private async renewed(place: TokenPlace, provider: OauthProvider, refused: string | undefined): Promise<string> {
    try {
      return await this.transactions.run((transaction) => this.refresh(place, provider, refused, transaction));
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      if (error.isFinal) return this.revoked(place, provider, error.message);
      const message = `The access of this source could not be renewed: ${error.message}`;
      throw new SourceError('token_refused', message, { cause: error });
    }
  }

  /** The row lock is held over the request: whoever comes second finds what the first has got. */
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
    // The source's row is left alone: whoever has it authorised anew locks that one first.
    await this.put(place, given, transaction);
    return given.access;
  }

  private put(place: TokenPlace, { access, refresh, expiresIn }: GivenTokens, transaction: Transaction): Promise<void> {
    const tokens = this.box.seal(JSON.stringify({ access, refresh }), tokensCell(place));
    return this.tokens.put({ ...place, tokens, expiresIn }, transaction);
  }

  private open(place: TokenPlace, sealed: Buffer): OpenTokens {
    return JSON.parse(this.box.openText(sealed, tokensCell(place))) as OpenTokens;
  }
}

/** The cell that a source's tokens are sealed for. */
export function tokensCell({ workspaceId, sourceId }: TokenPlace): SealedCell {
  return { workspace: workspaceId, table: 'knowledge_source_tokens', column: 'tokens', row: sourceId };
}
