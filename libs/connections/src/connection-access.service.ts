import { Clock } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { BY_NAME, type ConnectionEntity } from './connection.entity.js';
import { ConnectionRepository } from './connection.repository.js';
import type { OauthProvider } from './oauth-provider.js';
import { OauthProvidersService } from './oauth-providers.service.js';
import { type AccessToken, SharedTokensService } from './shared-tokens.service.js';
import { type GivenTokens, OauthEndpointsClient, type StoredTokens, TokenRefused } from './oauth-endpoints.client.js';

export interface ConnectionUse {
  workspaceId: string;
  connection: string;
  agentId: string;
  /** Called only if the connection is granted to agents by name. */
  isNamed: (name: string) => Promise<boolean>;
}

export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';

  constructor(
    readonly code: 'connection_forbidden' | 'connection_unavailable',
    message: string,
    /** True if every retry fails until a person acts. False if a retry may succeed. */
    readonly isFinal: boolean,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

/** An agent can use only the connections that are granted to it. */
@Injectable()
export class ConnectionAccessService {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly providers: OauthProvidersService,
    private readonly tokens: SharedTokensService,
    private readonly endpoint: OauthEndpointsClient,
    private readonly clock: Clock,
  ) {}

  /**
   * If the provider no longer accepts the authorisation, marks the connection as expired.
   * @param refused a token that a server rejected; the method returns a different one
   * @throws ConnectionRefused
   */
  async accessToken(use: ConnectionUse, refused?: AccessToken): Promise<AccessToken> {
    const connection = await this.grantedConnection(use);
    const provider = this.usableProvider(connection);
    const { workspaceId, id: key } = connection;
    const renew = (current: StoredTokens | undefined): Promise<GivenTokens> => this.renewed(provider, current);
    try {
      const token = refused
        ? await this.tokens.replaceToken({ workspaceId, key }, refused, renew)
        : await this.tokens.accessToken({ workspaceId, key }, renew);
      await this.connections.recordUse(connection);
      return token;
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      throw await this.failed(connection, provider, error);
    }
  }

  /** Each connection is in the map twice, by id and by name. */
  async grants(
    workspaceId: string,
    names: readonly string[],
    transaction?: Transaction,
  ): Promise<ReadonlyMap<string, Pick<ConnectionEntity, 'id' | 'agents'>>> {
    const found = await this.connections.findNamed(workspaceId, names, transaction);
    return new Map(
      found.flatMap((connection) => [[connection.id, connection] as const, [connection.name, connection]]),
    );
  }

  /**
   * A missing connection causes the same error as a connection that is not granted, so that runs cannot find out which
   * connections exist.
   */
  private async grantedConnection({
    workspaceId,
    connection: wanted,
    agentId,
    isNamed,
  }: ConnectionUse): Promise<ConnectionEntity> {
    const [found] = await this.connections.findNamed(workspaceId, [wanted]);
    if (found && (await isGranted(found.agents, agentId, isNamed))) return found;
    const message = `The connection ${JSON.stringify(wanted)} does not exist or is not granted to this agent. Create the connection if it does not exist, then grant it to the agent with PATCH /v1/connections/{id}.`;
    throw new ConnectionRefused('connection_forbidden', message, true);
  }

  private usableProvider({ id, name, status, provider: providerName }: ConnectionEntity): OauthProvider {
    const refuse = (why: string): never => {
      const message = `The connection ${JSON.stringify(name)} ${why}`;
      throw new ConnectionRefused('connection_unavailable', message, true);
    };
    const remedy = `A person must authorise it: POST /v1/connections/${id}/authorize.`;
    if (status === 'pending') return refuse(`is not authorised yet. ${remedy}`);
    if (status === 'expired')
      return refuse(`has expired. A person must authorise it again: POST /v1/connections/${id}/authorize.`);
    return (
      this.providers.find(providerName) ??
      refuse(
        `cannot be used, because OAUTH_PROVIDERS no longer contains ${providerName}. Ask the operator to add it again.`,
      )
    );
  }

  private renewed(provider: OauthProvider, current: StoredTokens | undefined): Promise<GivenTokens> {
    if (!current) throw new TokenRefused('no token is stored', true);
    if (current.refresh === null)
      throw new TokenRefused('the access token is no longer valid, and there is no refresh token', true);
    return this.endpoint.refresh(provider, current.refresh);
  }

  private async failed(
    connection: ConnectionEntity,
    { title }: OauthProvider,
    cause: TokenRefused,
  ): Promise<ConnectionRefused> {
    const { id, name } = connection;
    const message = cause.isFinal
      ? `${title} no longer accepts the authorisation of the connection ${JSON.stringify(name)} (${cause.message}). A person must authorise it again: POST /v1/connections/${id}/authorize.`
      : `The access token of the connection ${JSON.stringify(name)} could not be renewed: ${cause.message}`;
    const code = cause.isFinal ? 'authorization_revoked' : 'token_refused';
    const at = this.clock.now().toISOString();
    await this.connections.recordFailure(connection, { code, message, at }, cause.isFinal);
    return new ConnectionRefused('connection_unavailable', message, cause.isFinal, { cause });
  }
}

/** A grant is an agent id, or `name:<agent name>`. */
async function isGranted(
  grants: readonly string[],
  agentId: string,
  isNamed: ConnectionUse['isNamed'],
): Promise<boolean> {
  if (grants.includes(agentId)) return true;
  for (const grant of grants.filter((each) => each.startsWith(BY_NAME)))
    if (await isNamed(grant.slice(BY_NAME.length))) return true;
  return false;
}
