import { didYouMean, DomainError, invariant, isId, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { type AuthorizationRequest, AuthorizationsService } from './authorizations.service.js';
import { BY_NAME, type ConnectionEntity, type ConnectionPlace } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import { OauthProvidersService } from './oauth-providers.service.js';
import { OauthEndpointsClient } from './oauth-endpoints.client.js';
import { SharedTokensService } from './shared-tokens.service.js';

export interface WantedConnection {
  name: string;
  provider: string;
  scopes?: readonly string[] | undefined;
  /** The caller must have checked that agents with these ids exist. */
  agents: readonly string[];
}

export interface CreatedConnection {
  connection: ConnectionEntity;
  authorization: AuthorizationRequest;
}

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly connections: ConnectionRepository,
    private readonly providers: OauthProvidersService,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: SharedTokensService,
    private readonly endpoints: OauthEndpointsClient,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * It can be used as soon as a person has authorised it.
   * @throws DomainError `invalid_request` for an unknown provider, `name_taken`, and the errors of {@link
   * IdempotencyStore.runOnce}
   */
  async create(
    actor: Principal,
    { name, provider, scopes, agents }: WantedConnection,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<CreatedConnection>> {
    const { workspaceId, email: createdBy } = actor;
    const wanted = [...new Set(scopes ?? this.knownProvider(provider).scopes)];
    const place = { workspaceId, id: newId('connection') };
    const fields = { name, provider, scopes: wanted, agents: [...new Set(agents)], createdBy };
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      if (!(await this.connections.insert({ ...place, ...fields }, transaction))) throw nameTaken(name);
      const detail = { name, provider, scopes: wanted, agents: fields.agents };
      await this.audit.record(actor, { action: 'connection.create', target: place.id, detail }, transaction);
      const connection = await this.locked(place, transaction);
      return { connection, authorization: await this.beginAuthorization(actor, connection, transaction) };
    });
  }

  async list(workspaceId: string, page: PageRequest): Promise<Page<ConnectionEntity>> {
    return this.connections.page(workspaceId, page);
  }

  /** @throws DomainError `not_found` */
  async get(workspaceId: string, id: string): Promise<ConnectionEntity> {
    const connection = isId('connection', id) ? await this.connections.find({ workspaceId, id }) : null;
    if (!connection) throw notFound('connection', id);
    return connection;
  }

  /**
   * The change applies to the next call of each agent.
   * @throws DomainError `not_found`
   */
  async replaceAgents(actor: Principal, id: string, agents: readonly string[]): Promise<ConnectionEntity> {
    const place = { workspaceId: actor.workspaceId, id };
    return this.transactions.run(async (transaction) => {
      await this.locked(place, transaction);
      const granted = [...new Set(agents)];
      await this.connections.replaceAgents(place, granted, transaction);
      const detail = { agents: granted };
      await this.audit.record(actor, { action: 'connection.update', target: id, detail }, transaction);
      return this.locked(place, transaction);
    });
  }

  /**
   * Ends the grants to an agent by its name. Called in the transaction that archives the agent: another agent can take
   * the name afterwards, and must not get the grants.
   */
  async endGrantsByName(
    actor: Pick<Principal, 'workspaceId' | 'email'>,
    agentName: string,
    transaction: Transaction,
  ): Promise<void> {
    const ended = await this.connections.endGrant(actor.workspaceId, `${BY_NAME}${agentName}`, transaction);
    for (const { id, agents } of ended)
      await this.audit.record(actor, { action: 'connection.update', target: id, detail: { agents } }, transaction);
  }

  /**
   * Starts a new authorisation. Until a person completes it, the connection keeps using its current authorisation.
   * @throws DomainError `not_found`
   */
  async renew(actor: Principal, id: string): Promise<AuthorizationRequest> {
    return this.beginAuthorization(actor, await this.get(actor.workspaceId, id));
  }

  /**
   * Revokes the tokens at the provider, and deletes the connection, even if the provider cannot be reached.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, id: string): Promise<void> {
    const { workspaceId } = actor;
    const { provider: name } = await this.get(workspaceId, id);
    const owner = { workspaceId, key: id };
    const tokens = await this.tokens.storedTokens(owner);
    const provider = this.providers.find(name);
    const revoked = tokens && provider ? await this.endpoints.revokeTokens(provider, tokens) : false;
    await this.transactions.run(async (transaction) => {
      const connection = await this.locked({ workspaceId, id }, transaction);
      await this.authorizations.withdrawAuthorizations({ workspaceId, id }, transaction);
      await this.tokens.removeTokens(owner, transaction);
      await this.connections.delete({ workspaceId, id }, transaction);
      const detail = { name: connection.name, provider: name, revoked };
      await this.audit.record(actor, { action: 'connection.delete', target: id, detail }, transaction);
    });
  }

  private beginAuthorization(
    actor: Principal,
    { id, provider }: Pick<ConnectionEntity, 'id' | 'provider'>,
    transaction?: Transaction,
  ): Promise<AuthorizationRequest> {
    const place = { knowledgeBaseId: null, sourceId: null, connectionId: id };
    return this.authorizations.beginAuthorization(actor, place, provider, {}, transaction);
  }

  private knownProvider(name: string) {
    const provider = this.providers.find(name);
    if (provider) return provider;
    const { names } = this.providers;
    const detail = `This installation has no OAuth provider ${JSON.stringify(name.slice(0, 64))}. Available providers: ${names.join(', ')}.`;
    const suggestion = didYouMean(name, names) ?? 'Ask the operator to add it to OAUTH_PROVIDERS.';
    throw new DomainError('invalid_request', detail, { errors: [{ pointer: '/provider', detail, suggestion }] });
  }

  private async locked(place: ConnectionPlace, transaction: Transaction): Promise<ConnectionEntity> {
    invariant(isId('connection', place.id), 'the id was checked');
    const connection = await this.connections.lock(place, transaction);
    if (!connection) throw notFound('connection', place.id);
    return connection;
  }
}

function nameTaken(name: string): DomainError {
  const detail = `A connection with the name ${JSON.stringify(name)} already exists.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}
