import { DomainError, newId, notFound } from '@app/kernel';
import { constantTimeEqual } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import type { AuditEntry, Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import type { OauthProvider } from '../connectors/oauth/oauth-providers.js';
import type { KnowledgeSource } from '../sources/knowledge-source.entity.js';
import { KnowledgeSourceRepository, type SourcePlace } from '../sources/knowledge-source.repository.js';
import { SourceSettings } from '../sources/source-settings.service.js';
import {
  type AuthorizationRequest,
  type OpenAuthorization,
  PendingAuthorizations,
} from './pending-authorizations.service.js';
import { SourceTokens } from './source-tokens.service.js';
import { type GivenTokens, TokenEndpoint, TokenRefused } from './token-endpoint.js';

/** What a provider sends a person back with (RFC 6749, section 4.1.2; RFC 9207). */
export interface AuthorizationAnswer {
  state: string;
  /** Of the browser that was sent to the provider: the one that comes back has to be the same. */
  browserState: string | undefined;
  code?: string;
  error?: string;
  errorDescription?: string;
  issuer?: string;
}

/** Having sources authorised at their providers by people: authorisation code with PKCE. */
@Injectable()
export class SourceAuthorizations {
  constructor(
    private readonly transactions: Transactions,
    private readonly pending: PendingAuthorizations,
    private readonly endpoint: TokenEndpoint,
    private readonly tokens: SourceTokens,
    private readonly sources: KnowledgeSourceRepository,
    private readonly settings: SourceSettings,
  ) {}

  /**
   * Has a source authorised anew: its documents and settings stay.
   * @throws DomainError `not_found`, `invalid_request` for a source that needs no authorisation
   */
  async renew(actor: Principal, place: SourcePlace): Promise<AuthorizationRequest> {
    const source = await this.sources.find(place);
    if (!source) throw notFound('source', place.id);
    if (!this.settings.providers.find(source.connector)) {
      const detail = `The connector ${source.connector} needs no authorisation.`;
      throw new DomainError('invalid_request', detail);
    }
    const { knowledgeBaseId, id: sourceId } = place;
    return this.pending.begin(actor, { knowledgeBaseId, sourceId }, source.connector, {});
  }

  /** The provider's page to send the person to. @throws DomainError `invalid_request` (the state), `unavailable` */
  async begin(state: string): Promise<string> {
    const open = await this.pending.find(state);
    return this.pending.providerUrl(this.providerOf(open), state, open);
  }

  /**
   * Exchanges the code and adds the source, or authorises the one there is. The state is used up, however this ends.
   * @throws DomainError `invalid_request`: the state, another browser, no permission, a code that the provider does not take;
   * `unavailable` where the provider cannot be reached; `not_found` where base or source have gone
   */
  async finish(answer: AuthorizationAnswer): Promise<{ source: KnowledgeSource; title: string }> {
    const open = await this.pending.take(answer.state);
    const provider = this.providerOf(open);
    const given = await this.exchanged(provider, this.codeOf(answer, provider), open.verifier);
    const source = await this.transactions.run((transaction) => this.keep(open, given, transaction));
    return { source, title: provider.title };
  }

  private codeOf(
    { state, browserState, code, error, ...answer }: AuthorizationAnswer,
    provider: OauthProvider,
  ): string {
    const refuse = (detail: string): never => {
      throw new DomainError('invalid_request', detail);
    };
    if (browserState === undefined || !constantTimeEqual(browserState, state))
      return refuse('This authorisation was begun in another browser. Open the authorize_url in this one.');
    if (error !== undefined) {
      const words = [error, answer.errorDescription ?? ''].filter(Boolean).join(': ').slice(0, 300);
      return refuse(`${provider.title} gave no permission (${words}).`);
    }
    if (answer.issuer !== undefined && provider.issuer !== null && answer.issuer !== provider.issuer)
      return refuse(`The answer does not come from ${provider.title}.`);
    return code ?? refuse(`${provider.title} sent no code.`);
  }

  private async exchanged(provider: OauthProvider, code: string, verifier: string): Promise<GivenTokens> {
    try {
      return await this.endpoint.exchange(provider, code, verifier, this.pending.redirectUri);
    } catch (cause) {
      if (!(cause instanceof TokenRefused)) throw cause;
      throw new DomainError(cause.isFinal ? 'invalid_request' : 'unavailable', cause.message, { cause });
    }
  }

  private async keep(
    { pending }: OpenAuthorization,
    given: GivenTokens,
    transaction: Transaction,
  ): Promise<KnowledgeSource> {
    const { workspaceId, knowledgeBaseId, sourceId, connector, requestedBy, settings } = pending;
    const place = { workspaceId, knowledgeBaseId, id: sourceId ?? newId('source') };
    if (sourceId === null) {
      const now = await this.sources.now(transaction);
      const fields = this.settings.restored(connector, settings, now);
      await this.sources.insert({ ...place, ...fields, createdBy: requestedBy }, transaction);
    }
    // Null also where the base has been deleted: then nothing is added.
    const source = await this.sources.lock(place, transaction);
    if (!source) throw notFound(sourceId === null ? 'knowledge base' : 'source', sourceId ?? knowledgeBaseId);
    await this.tokens.keep({ workspaceId, sourceId: place.id }, given, transaction);
    const action = sourceId === null ? 'source.create' : 'source.authorize';
    const entry: AuditEntry = { action, target: place.id, detail: { knowledge_base: knowledgeBaseId, connector } };
    await this.settings.audit.record({ workspaceId, email: requestedBy }, entry, transaction);
    return source;
  }

  private providerOf({ pending: { connector } }: OpenAuthorization): OauthProvider {
    const provider = this.settings.providers.find(connector);
    if (provider) return provider;
    throw new DomainError('unavailable', `The operator does not offer ${connector} any more.`);
  }
}
