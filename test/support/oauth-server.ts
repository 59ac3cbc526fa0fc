import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { CLIENT } from './oauth-providers.js';
import type { SharedStack } from './shared-stack.js';

export { CLIENT } from './oauth-providers.js';

type Handler = (url: URL, request: IncomingMessage, response: ServerResponse) => void;

export class OauthServer {
  /** Method and path of each request to the API of the provider, in order. */
  readonly asked: string[] = [];
  /** Grants that the token endpoint received, each with its outcome. */
  readonly grants: string[] = [];
  /** Types of the tokens that the revocation endpoint received. */
  readonly revocations: string[] = [];
  /** Lifetime of access tokens for client credentials, in seconds. */
  clientTokenSeconds = 3_600;
  private readonly handlers = new Map<string, Handler>();
  private readonly accessTokens = new Set<string>();
  private readonly refreshTokens = new Set<string>();
  private readonly server: Server;
  private readonly provider: Provider;

  private constructor(
    server: Server,
    redirectUri: string,
    readonly url = addressOf(server),
  ) {
    this.server = server;
    this.provider = this.aProvider(redirectUri);
    const answer = this.provider.callback();
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', this.url);
      if (url.pathname.startsWith('/api/')) void this.api(url, request, response);
      else if (url.pathname.startsWith('/interaction/')) void this.logIn(request, response);
      else void answer(request, response);
    });
  }

  static async start(redirectUri: string): Promise<OauthServer> {
    return new OauthServer(await listening(), redirectUri);
  }

  /** Starts the server of the providers of the shared service ({@link oauthProviders}). */
  static async startFor(stack: SharedStack): Promise<OauthServer> {
    const server = await listening();
    await stack.lead('oauth', addressOf(server));
    return new OauthServer(server, `${stack.baseUrl}/v1/oauth/callback`, stack.addressOf('oauth'));
  }

  on(path: string, handler: Handler): void {
    this.handlers.set(`/api${path}`, handler);
  }

  json(path: string, value: (url: URL, request: IncomingMessage) => unknown): void {
    this.on(path, (url, request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value(url, request)));
    });
  }

  clear(): void {
    this.handlers.clear();
    this.asked.length = 0;
    this.grants.length = 0;
  }

  async expireAccess(): Promise<void> {
    for (const token of this.accessTokens) await (await this.tokenOf(token))?.destroy();
    this.accessTokens.clear();
  }

  /** Revokes the authorisation of the service, as a user of the provider can do. */
  async revoke(): Promise<void> {
    await this.expireAccess();
    for (const token of this.refreshTokens) await (await this.provider.RefreshToken.find(token))?.destroy();
    this.refreshTokens.clear();
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private aProvider(redirectUri: string): Provider {
    const provider: Provider = new Provider(this.url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        },
      ],
      scopes: ['openid', 'offline_access', 'read'],
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        revocation: { enabled: true },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['a key of the test'] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      ttl: {
        AccessToken: 3_600,
        ClientCredentials: () => this.clientTokenSeconds,
        RefreshToken: 86_400,
        AuthorizationCode: 60,
        Grant: 86_400,
        Session: 86_400,
        Interaction: 600,
        IdToken: 60,
      },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
        grant.addOIDCScope('openid offline_access read');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      await next();
      if (context.oidc?.route === 'revocation' && context.status === 200)
        this.revocations.push(String(context.oidc.params?.token_type_hint));
    });
    provider.on('access_token.saved', (token) => this.accessTokens.add(token.jti));
    provider.on('client_credentials.saved', (token) => this.accessTokens.add(token.jti));
    provider.on('refresh_token.saved', (token) => this.refreshTokens.add(token.jti));
    provider.on('grant.success', ({ oidc }) => this.grants.push(`${String(oidc.params?.grant_type)} ok`));
    provider.on('grant.error', ({ oidc }, { error }) =>
      this.grants.push(`${String(oidc.params?.grant_type)} ${error}`),
    );
    return provider;
  }

  private async tokenOf(token: string) {
    return (await this.provider.AccessToken.find(token)) ?? (await this.provider.ClientCredentials.find(token));
  }

  private async logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }

  private async api(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const isGood = token !== undefined && (await this.tokenOf(token))?.isValid === true;
    this.asked.push(`${isGood ? '' : '401 '}${request.method ?? ''} ${url.pathname.slice('/api'.length)}${url.search}`);
    const handler = this.handlers.get(url.pathname);
    if (isGood && handler) handler(url, request, response);
    else response.writeHead(isGood ? 404 : 401).end();
  }
}

async function listening(): Promise<Server> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
