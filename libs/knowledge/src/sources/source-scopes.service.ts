import { readScopeChoices, type ScopeChoice, SourceError } from '@app/connectors';
import { DomainError } from '@app/kernel';
import { EgressClient } from '@app/platform/egress';
import type { Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeSourcesService } from './knowledge-sources.service.js';
import { SourceAuthorizationsService } from './source-authorizations.service.js';
import { SourceSettingsService } from './source-settings.service.js';
import type { SourcePlace } from './store/knowledge-source.repository.js';
import { SourceTokensService } from './store/source-tokens.service.js';

/** Maximum time for all requests to the provider, in milliseconds. */
const LISTING_MILLIS = 20_000;

export interface SourceScopes {
  /**
   * The field of the configuration that restricts the source to some scopes. Null if the connector cannot list scopes.
   */
  field: string | null;
  choices: ScopeChoice[];
  isComplete: boolean;
}

/** Lists the folders, databases or repositories to which an authorised source can be restricted. */
@Injectable()
export class SourceScopesService {
  constructor(
    private readonly sources: KnowledgeSourcesService,
    private readonly settings: SourceSettingsService,
    private readonly tokens: SourceTokensService,
    private readonly authorizations: SourceAuthorizationsService,
    private readonly egress: EgressClient,
  ) {}

  /**
   * Reads the scopes (folders, databases or repositories) from the provider.
   * @throws DomainError `not_found`, `oauth_required` with `authorize_url` if the provider no longer accepts the
   * authorisation, `unavailable` if the provider cannot list the scopes now
   */
  async listScopes(actor: Principal, place: SourcePlace): Promise<SourceScopes> {
    const { connector } = await this.sources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    const provider = this.settings.providers.find(connector);
    if (!provider) return { field: null, choices: [], isComplete: true };
    const tokens = this.tokens.accessOf({ workspaceId: place.workspaceId, sourceId: place.id });
    const signal = AbortSignal.timeout(LISTING_MILLIS);
    try {
      const scopes = await readScopeChoices(provider, { tokens, signal }, this.egress);
      return { field: scopes ? provider.api.scope.field : null, ...(scopes ?? { choices: [], isComplete: true }) };
    } catch (error) {
      if (signal.aborted) {
        const detail = `${provider.title} did not list its ${provider.api.scope.field} within 20 seconds.`;
        throw new DomainError('unavailable', detail, { cause: error });
      }
      if (!(error instanceof SourceError)) throw error;
      if (error.code !== 'authorization_revoked') throw new DomainError('unavailable', error.message, { cause: error });
      const { authorizeUrl, expiresAt } = await this.authorizations.renew(actor, place);
      const extensions = { authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
      throw new DomainError('oauth_required', error.message, { cause: error, extensions });
    }
  }
}
