import { invariant, notFound } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { AuditLogService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import {
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  AuthorizationsService,
  type OpenAuthorization,
} from './authorizations.service.js';
import type { ConnectionEntity, ConnectionPlace } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import type { OauthProvider } from './oauth-provider.js';
import { OauthProvidersService } from './oauth-providers.service.js';
import { SharedTokensService } from './shared-tokens.service.js';

@Injectable()
export class ConnectionAuthorizationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly connections: ConnectionRepository,
    private readonly providers: OauthProvidersService,
    private readonly authorizations: AuthorizationsService,
    private readonly tokens: SharedTokensService,
    private readonly audit: AuditLogService,
  ) {}

  /** @throws DomainError `not_found` if the connection is deleted, `unavailable` if its provider is not configured */
  async begin(open: OpenAuthorization, state: string): Promise<AuthorizationQuestion> {
    const connection = await this.connectionOf(open);
    return this.authorizations.question(this.providerOf(connection), connection.name, state, open);
  }

  /**
   * @throws DomainError `not_found` if the connection is deleted, and the errors of {@link
   * AuthorizationsService.exchangeCode}
   */
  async finish(open: OpenAuthorization, answer: AuthorizationAnswer): Promise<{ id: string; title: string }> {
    const place = placeOf(open);
    const provider = this.providerOf(await this.connectionOf(open));
    const given = await this.authorizations.exchangeCode(provider, answer, open);
    const { workspaceId, requestedBy: email } = open.pending;
    const people = { requested_by: email, authorized_by: answer.authorizedBy };
    await this.transactions.run(async (transaction) => {
      const connection = await this.connections.lock(place, transaction);
      if (!connection) throw notFound('connection', place.id);
      await this.tokens.storeTokens({ workspaceId, key: place.id }, given, transaction);
      const account = given.account ?? null;
      await this.connections.markAuthorized(place, { account, authorizedBy: email }, transaction);
      const detail = { name: connection.name, provider: provider.name, account, ...people };
      await this.audit.record(
        { workspaceId, email },
        { action: 'connection.authorize', target: place.id, detail },
        transaction,
      );
    });
    return { id: place.id, title: provider.title };
  }

  private async connectionOf(open: OpenAuthorization): Promise<ConnectionEntity> {
    const place = placeOf(open);
    const connection = await this.connections.find(place);
    if (!connection) throw notFound('connection', place.id);
    return connection;
  }

  private providerOf({ provider, scopes }: ConnectionEntity): OauthProvider {
    return { ...this.providers.get(provider), scopes };
  }
}

function placeOf({ pending: { workspaceId, connectionId } }: OpenAuthorization): ConnectionPlace {
  invariant(connectionId !== null, 'the authorisation belongs to a connection');
  return { workspaceId, id: connectionId };
}
