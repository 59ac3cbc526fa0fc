import { Injectable } from '@nestjs/common';
import { type AuthorizationAnswer, AuthorizationsService, ConnectionAuthorizationsService } from '@app/connections';
import { SourceAuthorizationsService } from '@app/knowledge';

export interface Authorized {
  kind: 'source' | 'connection';
  id: string;
  title: string;
}

/** Carries out the authorisations of both sources and connections, which use the same routes. */
@Injectable()
export class OauthFlowsService {
  constructor(
    private readonly authorizations: AuthorizationsService,
    private readonly sources: SourceAuthorizationsService,
    private readonly connections: ConnectionAuthorizationsService,
  ) {}

  /**
   * Returns the URL of the provider's page on which the person grants access.
   * @throws DomainError `invalid_request` if the state is invalid, `not_found`, `unavailable`
   */
  async begin(state: string): Promise<string> {
    const open = await this.authorizations.findAuthorization(state);
    return open.pending.connectionId === null ? this.sources.begin(open, state) : this.connections.begin(open, state);
  }

  /**
   * Exchanges the code from the provider for tokens. The state cannot be used again, even if the exchange fails.
   * @throws DomainError `invalid_request` if the state is invalid, another browser began the authorisation, the person
   * denied access, or the provider rejects the code; `unavailable` if the provider cannot be reached; `not_found` if
   * the knowledge base, source or connection is deleted
   */
  async finish(answer: AuthorizationAnswer): Promise<Authorized> {
    const open = await this.authorizations.takeAuthorization(answer.state);
    return open.pending.connectionId === null
      ? { kind: 'source', ...(await this.sources.finish(open, answer)) }
      : { kind: 'connection', ...(await this.connections.finish(open, answer)) };
  }
}
