import { DomainError, invariant, newId, notFound } from '@app/kernel';
import { readScopeChoices, type ScopeChoice, SourceError } from '@app/connectors';
import { type Transaction, Transactions } from '@app/platform/database';
import { EgressClient } from '@app/platform/egress';
import type { AuditEntry, Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import {
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  type AuthorizationRequest,
  AuthorizationsService,
  ConnectionTokensService,
  type GivenTokens,
  type OpenAuthorization,
} from '@app/connections';
import type { KnowledgeSourceEntity } from './store/knowledge-source.entity.js';
import { KnowledgeSourceRepository, type SourcePlace } from './store/knowledge-source.repository.js';
import { KnowledgeSourcesService } from './knowledge-sources.service.js';
import { SourceSettingsService } from './source-settings.service.js';
import { SourceTokensService } from './store/source-tokens.service.js';

const LISTING_MILLIS = 20_000;

export interface SourceScopes {
  field: string | null;
  choices: ScopeChoice[];
  isComplete: boolean;
}

@Injectable()
export class SourceAuthorizationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: ConnectionTokensService,
    private readonly sources: KnowledgeSourceRepository,
    private readonly settings: SourceSettingsService,
    private readonly knowledgeSources: KnowledgeSourcesService,
    private readonly sourceTokens: SourceTokensService,
    private readonly egress: EgressClient,
  ) {}

  /** The documents and settings of the source are kept. */
  async renew(actor: Principal, place: SourcePlace): Promise<AuthorizationRequest> {
    const source = await this.sources.find(place);
    if (!source) throw notFound('source', place.id);
    if (!this.settings.providers.find(source.connector)) {
      const detail = `The connector ${source.connector} needs no authorisation.`;
      throw new DomainError('invalid_request', detail);
    }
    const { knowledgeBaseId, id: sourceId } = place;
    const renewed = { knowledgeBaseId, sourceId, connectionId: null };
    return this.authorizations.beginAuthorization(actor, renewed, source.connector, {});
  }

  /** @throws DomainError `unavailable` if the provider of the source is not configured */
  begin(open: OpenAuthorization, state: string, base: string): AuthorizationQuestion {
    return this.authorizations.question(this.settings.providers.get(open.pending.connector), base, state, open);
  }

  /**
   * @throws DomainError `not_found` if the knowledge base or the source is deleted, and the errors of {@link
   * AuthorizationsService.exchangeCode}
   */
  async finish(open: OpenAuthorization, answer: AuthorizationAnswer): Promise<{ id: string; title: string }> {
    const provider = this.settings.providers.get(open.pending.connector);
    const given = await this.authorizations.exchangeCode(provider, answer, open);
    const { id } = await this.transactions.run((transaction) => this.storeSource(open, answer, given, transaction));
    return { id, title: provider.title };
  }

  /**
   * @throws DomainError `not_found`, `oauth_required` with `authorize_url` if the provider no longer accepts the
   * authorisation, `unavailable` if the provider cannot list the scopes now
   */
  async listScopes(actor: Principal, place: SourcePlace): Promise<SourceScopes> {
    const { connector } = await this.knowledgeSources.get(place.workspaceId, place.knowledgeBaseId, place.id);
    const provider = this.settings.providers.find(connector);
    if (!provider) return { field: null, choices: [], isComplete: true };
    const tokens = this.sourceTokens.accessOf({ workspaceId: place.workspaceId, sourceId: place.id });
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
      const { authorizeUrl, expiresAt } = await this.renew(actor, place);
      const extensions = { authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
      throw new DomainError('oauth_required', error.message, { cause: error, extensions });
    }
  }

  private async storeSource(
    { pending }: OpenAuthorization,
    { authorizedBy }: AuthorizationAnswer,
    given: GivenTokens,
    transaction: Transaction,
  ): Promise<KnowledgeSourceEntity> {
    const { workspaceId, knowledgeBaseId, sourceId, connector, requestedBy, settings } = pending;
    invariant(knowledgeBaseId !== null, 'the authorisation belongs to a source');
    const place = { workspaceId, knowledgeBaseId, id: sourceId ?? newId('source') };
    if (sourceId === null) {
      const now = await this.sources.readNow(transaction);
      const fields = this.settings.restored(connector, settings, now);
      await this.sources.insert({ ...place, ...fields, createdBy: requestedBy }, transaction);
    }
    // The source is also null if the knowledge base is deleted. The error rolls the transaction back.
    const source = await this.sources.lock(place, transaction);
    if (!source) throw notFound(sourceId === null ? 'knowledge base' : 'source', sourceId ?? knowledgeBaseId);
    await this.tokens.storeTokens({ workspaceId, sourceId: place.id }, given, transaction);
    const account = given.account ?? null;
    await this.sources.markAuthorized({ workspaceId, sourceId: place.id }, account, transaction);
    const action = sourceId === null ? 'source.create' : 'source.authorize';
    const people = { requested_by: requestedBy, authorized_by: authorizedBy };
    const detail = { knowledge_base: knowledgeBaseId, connector, account, ...people };
    const entry: AuditEntry = { action, target: place.id, detail };
    await this.settings.audit.record({ workspaceId, email: requestedBy }, entry, transaction);
    return source;
  }
}
