import { ConnectionTokensService, type OauthProvider, type TokenPlace, TokenRefused } from '@app/connections';
import { type AccessTokens, SourceError } from '@app/connectors';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeSourceRepository } from './knowledge-source.repository.js';

@Injectable()
export class SourceTokensService {
  constructor(
    private readonly sources: KnowledgeSourceRepository,
    private readonly transactions: Transactions,
    private readonly tokens: ConnectionTokensService,
  ) {}

  /** If the provider no longer accepts the authorisation, the authorisation of the source is marked as expired. */
  accessOf(place: TokenPlace): AccessTokens {
    return {
      accessToken: (provider) => this.token(place, provider, () => this.tokens.accessToken(place, provider)),
      renewToken: (provider, refused) =>
        this.token(place, provider, () => this.tokens.renewToken(place, provider, refused)),
      rejectRevoked: (provider, why) => this.revoked(place, provider, why),
    };
  }

  private async token(place: TokenPlace, provider: OauthProvider, ask: () => Promise<string>): Promise<string> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      if (error.isFinal) return this.revoked(place, provider, error.message);
      const message = `The access token of this source could not be renewed: ${error.message}`;
      throw new SourceError('token_refused', message, { cause: error });
    }
  }

  private async revoked(place: TokenPlace, { title }: OauthProvider, why: string): Promise<never> {
    await this.transactions.run((transaction) => this.sources.markExpired(place, transaction));
    const message = `${title} no longer accepts the authorisation of this source (${why}). Indexed documents are kept. Authorise the source again: POST …/sources/{id}/authorize.`;
    throw new SourceError('authorization_revoked', message);
  }
}
