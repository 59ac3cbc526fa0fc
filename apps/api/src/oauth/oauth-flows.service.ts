import { Injectable } from '@nestjs/common';
import { type AuthorizationAnswer, AuthorizationsService, ConnectionAuthorizationsService } from '@app/connections';
import { SourceAuthorizationsService } from '@app/knowledge';

/** What a person has authorised. */
export interface Authorized {
  kind: 'source' | 'connection';
  id: string;
  /** Display name of the provider. */
  title: string;
}

/** Carries out the authorisations of sources and of connections, which share the routes of the browser. */
@Injectable()
export class OauthFlowsService {
  constructor(
    private readonly authorizations: AuthorizationsService,
    private readonly sources: SourceAuthorizationsService,
    private readonly connections: ConnectionAuthorizationsService,
  ) {}

  /**
   * Returns the address of the page at which the person grants access.
   * @throws DomainError `invalid_request` (the state), `not_found`, `unavailable`
   */
  async begin(state: string): Promise<string> {
    const open = await this.authorizations.findAuthorization(state);
    return open.pending.connectionId === null ? this.sources.begin(open, state) : this.connections.begin(open, state);
  }

  /**
   * Exchanges the code for tokens. Consumes the state in any case.
   * @throws DomainError `invalid_request` for an invalid state, another browser, a denied permission, or a code that
   * the provider rejects; `unavailable` if the provider cannot be reached; `not_found` if base, source or connection is
   * deleted
   */
  async finish(answer: AuthorizationAnswer): Promise<Authorized> {
    const open = await this.authorizations.takeAuthorization(answer.state);
    return open.pending.connectionId === null
      ? { kind: 'source', ...(await this.sources.finish(open, answer)) }
      : { kind: 'connection', ...(await this.connections.finish(open, answer)) };
  }
}
