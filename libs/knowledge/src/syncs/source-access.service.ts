import { ConnectionTokens, type OauthProvider, type TokenPlace, TokenRefused } from '@app/connections';
import { type AccessTokens, SourceError } from '@app/connectors';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { KnowledgeSourceRepository } from '../sources/store/knowledge-source.repository.js';

/** The access of sources to their providers. A source whose authorisation is no longer accepted is marked. */
@Injectable()
export class SourceAccessService {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: ConnectionTokens,
    private readonly sources: KnowledgeSourceRepository,
  ) {}

  of(place: TokenPlace): AccessTokens {
    return {
      access: (provider) => this.token(place, provider, () => this.tokens.access(place, provider)),
      renew: (provider, refused) => this.token(place, provider, () => this.tokens.renew(place, provider, refused)),
      revoked: (provider, why) => this.revoked(place, provider, why),
    };
  }

  private async token(place: TokenPlace, provider: OauthProvider, ask: () => Promise<string>): Promise<string> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      if (error.isFinal) return this.revoked(place, provider, error.message);
      const message = `The access of this source could not be renewed: ${error.message}`;
      throw new SourceError('token_refused', message, { cause: error });
    }
  }

  private async revoked(place: TokenPlace, { title }: OauthProvider, why: string): Promise<never> {
    await this.transactions.run((transaction) => this.sources.setAuthorizationState(place, 'expired', transaction));
    const message = `${title} does not accept the authorisation of this source any more (${why}). What is indexed stays. Somebody has to authorise it anew: POST …/sources/{id}/authorize.`;
    throw new SourceError('authorization_revoked', message);
  }
}
