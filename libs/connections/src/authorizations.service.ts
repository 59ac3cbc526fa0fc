import { randomBytes } from 'node:crypto';
import { DomainError, type JsonObject, parameterPlace } from '@app/kernel';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { SecretRedaction } from '@app/platform/observability';
import { constantTimeEqual, SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';
import { type Transaction, Transactions } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { authorizationUrl } from './authorization-url.js';
import type { ConnectionPlace } from './connection.entity.js';
import type { OauthProvider } from './oauth-provider.js';
import type { PendingAuthorizationEntity } from './pending-authorization.entity.js';
import { PendingAuthorizationRepository } from './pending-authorization.repository.js';
import { type GivenTokens, OauthEndpointsClient, TokenRefused } from './oauth-endpoints.client.js';

/** Minutes until a pending authorisation expires. An hour is enough to forward the link to the owner of the account. */
const MINUTES = 60;
/** Seconds after which a person can try again to authorise a provider that the operator has not registered yet. */
const UNREGISTERED_RETRY_SECONDS = 3_600;

/** A new source has no id yet. */
export type AuthorizationPlace = Pick<PendingAuthorizationEntity, 'knowledgeBaseId' | 'sourceId' | 'connectionId'>;

export interface AuthorizationRequest {
  authorizeUrl: string;
  expiresAt: Date;
}

export interface OpenAuthorization {
  pending: PendingAuthorizationEntity;
  verifier: string;
}

export interface AuthorizationQuestion {
  provider: Pick<OauthProvider, 'title' | 'authorize_url' | 'scopes'>;
  name: string;
  url: string;
}

export interface AuthorizationAnswer {
  state: string;
  /** It must equal `state`. */
  browserState: string | undefined;
  authorizedBy: string | null;
  code?: string;
  error?: string;
  errorDescription?: string;
  issuer?: string;
}

/**
 * Manages pending authorisations. A member of a workspace requests an authorisation for a source or a connection. The
 * link to authorise it is valid for one hour and for one callback.
 */
@Injectable()
export class AuthorizationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly pending: PendingAuthorizationRepository,
    private readonly endpoint: OauthEndpointsClient,
    private readonly box: SealedBox,
    @Inject(addressConfig.KEY) private readonly config: AddressConfig,
  ) {}

  private get redirectUri(): string {
    return `${this.config.publicUrl}/v1/oauth/callback`;
  }

  /** If `place` has a knowledge base but no source, the authorisation adds a new source with `settings`. */
  async beginAuthorization(
    { workspaceId, email }: Pick<Principal, 'workspaceId' | 'email'>,
    place: AuthorizationPlace,
    connector: string,
    settings: JsonObject,
    inTransaction?: Transaction,
  ): Promise<AuthorizationRequest> {
    const [state, plain] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
    const stateHash = hashOf(state);
    const verifier = this.box.seal(plain, verifierCell(workspaceId, stateHash));
    const row = { ...place, stateHash, workspaceId, connector, settings, verifier, requestedBy: email };
    const insert = (transaction: Transaction) => this.pending.insert(row, MINUTES, transaction);
    const expiresAt = inTransaction ? await insert(inTransaction) : await this.transactions.run(insert);
    return { authorizeUrl: `${this.config.publicUrl}/v1/oauth/authorize?state=${state}`, expiresAt };
  }

  /** @throws DomainError `invalid_request` if the state is unknown, used or expired */
  async findAuthorization(state: string): Promise<OpenAuthorization> {
    return this.opened(await this.pending.find(hashOf(state)));
  }

  async takeAuthorization(state: string): Promise<OpenAuthorization> {
    return this.opened(await this.pending.take(hashOf(state)));
  }

  withdrawAuthorizations(connection: ConnectionPlace, transaction: Transaction): Promise<void> {
    return this.pending.removeOfConnection(connection, transaction);
  }

  /**
   * Returns what the person is asked to allow.
   * @param name the connection, or the knowledge base of the source
   * @throws DomainError `unavailable` if this installation is not registered with the provider
   */
  question(provider: OauthProvider, name: string, state: string, open: OpenAuthorization): AuthorizationQuestion {
    return { provider, name, url: this.providerUrl(provider, state, open) };
  }

  private providerUrl({ client, ...provider }: OauthProvider, state: string, { verifier }: OpenAuthorization): string {
    if (!client) {
      const detail = `${provider.title} cannot be authorised yet. The operator must register this installation with the provider and set the client in OAUTH_PROVIDERS.`;
      throw new DomainError('unavailable', detail, { retryAfterSeconds: UNREGISTERED_RETRY_SECONDS });
    }
    const parts = { clientId: client.id, redirectUri: this.redirectUri, state, verifier };
    return authorizationUrl(provider, parts);
  }

  /**
   * The caller must have consumed the state with {@link takeAuthorization}.
   * @throws DomainError `invalid_request` if the callback comes from another browser, the person denied access, or the
   * provider rejects the code; `unavailable` if the provider cannot be reached
   */
  async exchangeCode(
    provider: OauthProvider,
    answer: AuthorizationAnswer,
    { verifier }: OpenAuthorization,
  ): Promise<GivenTokens> {
    const code = codeOf(answer, provider);
    try {
      return await this.endpoint.exchange(provider, code, verifier, this.redirectUri);
    } catch (cause) {
      if (!(cause instanceof TokenRefused)) throw cause;
      throw new DomainError(cause.isFinal ? 'invalid_request' : 'unavailable', cause.message, { cause });
    }
  }

  private opened(pending: PendingAuthorizationEntity | undefined): OpenAuthorization {
    if (!pending) {
      const detail = 'This authorisation is unknown, was already used, or has expired. Request a new one.';
      throw new DomainError('invalid_request', detail, { errors: [parameterPlace('state', detail)] });
    }
    const cell = verifierCell(pending.workspaceId, pending.stateHash);
    return { pending, verifier: this.box.openText(pending.verifier, cell) };
  }
}

function codeOf({ state, browserState, code, error, ...answer }: AuthorizationAnswer, provider: OauthProvider): string {
  const refuse = (detail: string): never => {
    throw new DomainError('invalid_request', detail);
  };
  if (browserState === undefined || !constantTimeEqual(browserState, state))
    return refuse(
      'This authorisation was started in another browser. Finish it there, or start it again in this browser.',
    );
  if (error !== undefined) {
    const redaction = new SecretRedaction([state, ...(code === undefined ? [] : [code])]);
    const words = redaction.text([error, answer.errorDescription ?? ''].filter(Boolean).join(': ')).slice(0, 300);
    return refuse(`${provider.title} did not grant access (${words}). Start the authorisation again.`);
  }
  if (answer.issuer !== undefined && provider.issuer !== null && answer.issuer !== provider.issuer)
    return refuse(
      `The response does not come from ${provider.title}: it names another issuer. Start the authorisation again.`,
    );
  return (
    code ?? refuse(`The response of ${provider.title} contains no authorisation code. Start the authorisation again.`)
  );
}

function hashOf(state: string): string {
  return sha256(state).toString('hex');
}

/** `row` is the hash of the state. */
export function verifierCell(workspace: string, row: string): SealedCell {
  return { workspace, table: 'knowledge_authorizations', column: 'verifier', row };
}
