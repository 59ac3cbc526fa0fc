import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Client, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { DomainError } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { PROBLEM_TYPE, toProblem } from '../http/problem.js';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import type { AccessParameters } from './access-parameters.js';
import { ClientDocumentsService, MAX_DOCUMENT_BYTES } from './client-documents.service.js';
import { AUTHOR, OAUTH_PATHS, resourceAt, WORK } from './mcp-resources.js';
import { loadOidcLibrary, type OidcLibrary } from './oidc-library.js';
import { OidcRecordsService } from './oidc-records.service.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Lifetimes in seconds. A grant lives as long as its key, which ends with its last token. */
export const LIFETIMES = {
  AuthorizationCode: 60,
  AccessToken: HOUR,
  RefreshToken: 30 * DAY,
  Grant: 3_650 * DAY,
  Interaction: 600,
  Session: 600,
} as const;

/** What a person permitted a client, for the code with which the client gets its tokens. */
export interface PermittedAccess {
  client: Client;
  /** The parameters of the request of the client. */
  params: AccessParameters;
  memberId: string;
  keyId: string;
}

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>;

interface OpenedServer {
  provider: Provider;
  answer: ReturnType<Provider['callback']>;
}

/**
 * The authorization server for MCP clients (OAuth 2.1, package `oidc-provider`). It checks the requests of clients and
 * issues their tokens. People decide requests in the console, see `authorization-requests.service.ts`.
 */
@Injectable()
export class AuthorizationServerService {
  private opening: Promise<OpenedServer> | undefined;

  constructor(
    private readonly records: OidcRecordsService,
    private readonly documents: ClientDocumentsService,
    private readonly limits: RequestLimitsService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Answers a request to one of {@link OAUTH_PATHS}. */
  async answer(request: ApiRequest, response: Response): Promise<void> {
    const { answer } = await this.open();
    await answer(request, response);
  }

  /** Returns undefined if the client is unknown, or if its metadata document cannot be read. */
  async findClient(clientId: string): Promise<Client | undefined> {
    const { provider } = await this.open();
    return provider.Client.find(clientId).catch(() => undefined);
  }

  /** Issues a code and returns the redirect address of the client with it. */
  async permit({ client, params, memberId, keyId }: PermittedAccess): Promise<string> {
    const { provider } = await this.open();
    const { redirectUri, codeChallenge, resource } = params;
    const scope = resourceAt(this.address.publicUrl, resource)?.scope ?? '';
    const grant = new provider.Grant({ accountId: memberId, clientId: client.clientId });
    grant.jti = keyId;
    grant.addResourceScope(resource, scope);
    await grant.save();
    const code = new provider.AuthorizationCode({
      client,
      accountId: memberId,
      grantId: keyId,
      gty: 'authorization_code',
      redirectUri,
      codeChallenge,
      codeChallengeMethod: 'S256',
      resource,
      scope,
    });
    return this.redirectTo(params, { code: await code.save() });
  }

  /** Returns the redirect address of the client with the error `access_denied`. */
  deny(params: AccessParameters): string {
    return this.redirectTo(params, { error: 'access_denied', error_description: 'The person denied the access.' });
  }

  private redirectTo({ redirectUri, state }: AccessParameters, answer: Record<string, string>): string {
    const target = new URL(redirectUri);
    const parameters = { ...answer, ...(state !== undefined && { state }), iss: this.address.publicUrl };
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    return target.href;
  }

  private open(): Promise<OpenedServer> {
    this.opening ??= this.start().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async start(): Promise<OpenedServer> {
    const library = await loadOidcLibrary();
    const provider = new library.Provider(this.address.publicUrl, this.configuration(library));
    const report = (error: unknown): void => this.logger.error({ err: error }, 'oauth: request failed');
    provider.on('server_error', (_, error) => report(error));
    // The types of the library lack this event of its base class.
    const events: EventEmitter = provider;
    events.on('error', report);
    provider.use(async (context, next) => {
      // The session of a person belongs to the console. The library must neither find nor begin another one.
      delete context.req.headers.cookie;
      await next();
      context.remove('Set-Cookie');
      const { location } = context.response.headers;
      // The answer to an unsupported response type is in the query, too, because no supported one uses the fragment.
      if (typeof location === 'string' && location.includes('#')) context.set('Location', withoutFragment(location));
    });
    return { provider, answer: provider.callback() };
  }

  private configuration(library: OidcLibrary): Configuration {
    const { publicUrl } = this.address;
    const { InvalidTarget } = library.errors;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return {
      adapter: (model) => this.records.adapterOf(library, model),
      fetch: this.documents.fetch,
      fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES },
      allowOmittingSingleRegisteredRedirectUri: false,
      clientAuthMethods: ['none'],
      clientDefaults: {
        id_token_signed_response_alg: 'ES256',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      // No ID token is ever signed, and no cookie is kept.
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
      cookies: { keys: [randomBytes(32).toString('base64url')] },
      scopes: [],
      responseTypes: ['code'],
      pkce: { required: () => true },
      rotateRefreshToken: true,
      issueRefreshToken: () => true,
      ttl: LIFETIMES,
      routes: { authorization: OAUTH_PATHS.authorize, token: OAUTH_PATHS.token, revocation: OAUTH_PATHS.revoke },
      interactions: {
        url: (_, { uid, params }) => {
          if (typeof params.resource !== 'string') throw new InvalidTarget('resource must occur once');
          return `/console/consent?request=${uid}`;
        },
      },
      findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      renderError: (context, _, error) => renderProblem(context, error),
      features: {
        devInteractions: { enabled: false },
        dPoP: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        userinfo: { enabled: false },
        revocation: { enabled: true, allowedPolicy: (_, { clientId }, token) => token.clientId === clientId },
        clientIdMetadataDocument: {
          enabled: true,
          ack: 'draft-02',
          cacheDuration: { min: 60, max: HOUR },
          allowFetch: (context) => this.limits.admitsClientDocument(context.req),
        },
        resourceIndicators: resourceIndicators(library, publicUrl),
      },
    };
  }
}

/** A request must name one address of the MCP server. There is no default. */
function resourceIndicators({ errors: { InvalidTarget } }: OidcLibrary, publicUrl: string): ResourceIndicators {
  const oneOf = `resource must be ${publicUrl}${WORK.path} or ${publicUrl}${AUTHOR.path}`;
  const refuse = (): never => {
    throw new InvalidTarget(oneOf);
  };
  return {
    enabled: true,
    defaultResource: refuse,
    useGrantedResource: refuse,
    getResourceServerInfo: (_, indicator) => {
      const resource = resourceAt(publicUrl, indicator) ?? refuse();
      return { scope: resource.scope, accessTokenFormat: 'opaque' };
    },
  };
}

/** Answers a request that must not redirect, for example of an unknown client. */
function renderProblem(context: KoaContextWithOIDC, error: Error): void {
  const { error_description: reason = error.message } = error as { error_description?: string };
  const isExpected = 'expose' in error && error.expose === true;
  const problem = isExpected
    ? new DomainError('invalid_request', `The request of the client cannot be answered: ${reason}.`)
    : new DomainError('internal_error', 'Unexpected error.');
  const { id } = context.req as ApiRequest;
  context.status = isExpected ? 400 : 500;
  context.set('Content-Type', PROBLEM_TYPE);
  context.body = JSON.stringify(toProblem(problem, id));
}

function withoutFragment(location: string): string {
  const target = new URL(location);
  for (const [name, value] of new URLSearchParams(target.hash.slice(1))) target.searchParams.set(name, value);
  target.hash = '';
  return target.href;
}
