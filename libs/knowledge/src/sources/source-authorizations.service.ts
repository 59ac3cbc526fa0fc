import { DomainError, invariant, newId, notFound } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import type { AuditEntry, Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  AuthorizationsService,
  ConnectionTokensService,
  type GivenTokens,
  type OauthProvider,
  type OpenAuthorization,
} from '@app/connections';
import type { KnowledgeSourceEntity } from './store/knowledge-source.entity.js';
import { KnowledgeSourceRepository, type SourcePlace } from './store/knowledge-source.repository.js';
import { SourceSettingsService } from './source-settings.service.js';

/** Lets people authorise sources at OAuth providers (authorisation code with PKCE). */
@Injectable()
export class SourceAuthorizationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: ConnectionTokensService,
    private readonly sources: KnowledgeSourceRepository,
    private readonly settings: SourceSettingsService,
  ) {}

  /**
   * Starts a new authorisation of a source. The documents and settings of the source are kept.
   * @throws DomainError `not_found`, or `invalid_request` if the connector needs no authorisation
   */
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

  /**
   * Returns the address of the page at which the person grants access.
   * @throws DomainError `unavailable` if the provider of the source is not configured
   */
  begin(open: OpenAuthorization, state: string): string {
    return this.authorizations.providerUrl(this.providerOf(open), state, open);
  }

  /**
   * Exchanges the code for tokens, and adds the source or renews its authorisation.
   * @throws DomainError `not_found` if the knowledge base or the source is deleted, and the errors of
   * {@link AuthorizationsService.exchangeCode}
   */
  async finish(open: OpenAuthorization, answer: AuthorizationAnswer): Promise<{ id: string; title: string }> {
    const provider = this.providerOf(open);
    const given = await this.authorizations.exchangeCode(provider, answer, open);
    const { id } = await this.transactions.run((transaction) => this.storeSource(open, given, transaction));
    return { id, title: provider.title };
  }

  private async storeSource(
    { pending }: OpenAuthorization,
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
    await this.sources.setAuthorizationState({ workspaceId, sourceId: place.id }, 'authorized', transaction);
    const action = sourceId === null ? 'source.create' : 'source.authorize';
    const entry: AuditEntry = { action, target: place.id, detail: { knowledge_base: knowledgeBaseId, connector } };
    await this.settings.audit.record({ workspaceId, email: requestedBy }, entry, transaction);
    return source;
  }

  private providerOf({ pending: { connector } }: OpenAuthorization): OauthProvider {
    const provider = this.settings.providers.find(connector);
    if (provider) return provider;
    throw new DomainError(
      'unavailable',
      `OAUTH_PROVIDERS no longer contains ${connector}. Ask the operator to add it again.`,
    );
  }
}
