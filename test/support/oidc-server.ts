import { createHmac, createSign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export const OIDC_CLIENT = { id: 'agents', secret: 'a-secret:with/odd+characters' };

type Claims = Record<string, unknown>;
type ChangeToken = (idToken: string) => string;

/** Replaces the signature of an ID token, and the given members of its header. A text is the key of an HMAC. */
export function signedBy(alg: 'RS256' | 'HS256', key: KeyObject | string, header: object = {}): ChangeToken {
  return (idToken) => {
    const text = withHeader(idToken, { ...header, alg });
    const mac = () => createHmac('sha256', key).update(text).digest('base64url');
    const signature = () => createSign('sha256').update(text).sign(key, 'base64url');
    return `${text}.${alg === 'HS256' ? mac() : signature()}`;
  };
}

export const unsigned: ChangeToken = (idToken) => `${withHeader(idToken, { alg: 'none' })}.`;

function withHeader(idToken: string, changed: object): string {
  const [header = '', claims] = idToken.split('.');
  const known = JSON.parse(Buffer.from(header, 'base64url').toString()) as object;
  return `${Buffer.from(JSON.stringify({ ...known, ...changed })).toString('base64url')}.${claims}`;
}

/** An OIDC provider (package oidc-provider). It signs people in without a prompt. */
export class OidcServer {
  /** Claims of each person who has an account at the provider, by account. */
  readonly people = new Map<string, Claims>();
  /** Changes each ID token that the token endpoint returns. */
  changeToken: ChangeToken | undefined;
  /** If set, the published keys, instead of those of the provider. */
  publishedKeys: JsonWebKey[] | undefined;
  private account = '';

  private constructor(
    private readonly server: Server,
    redirectUri: string,
  ) {
    const provider = this.aProvider(redirectUri);
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
      void provider.interactionFinished(request, response, { login: { accountId: this.account } });
    });
  }

  static async start(redirectUri: string): Promise<OidcServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OidcServer(server, redirectUri);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Opens the authorisation page as a browser in which this person is signed in at the provider. Returns the URL to
   * which the provider redirects.
   */
  async open(authorizationUrl: string, account: string): Promise<URL> {
    this.account = account;
    const cookies = new Map<string, string>();
    let next = new URL(authorizationUrl);
    while (next.origin === this.url) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next.href} answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next);
    }
    return next;
  }

  restoreKeys(): void {
    this.changeToken = undefined;
    this.publishedKeys = undefined;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private aProvider(redirectUri: string): Provider {
    const provider: Provider = new Provider(this.url, {
      clients: [{ client_id: OIDC_CLIENT.id, client_secret: OIDC_CLIENT.secret, redirect_uris: [redirectUri] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username', 'groups'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['a key of the test'] },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...this.people.get(sub), sub }) }),
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, Session: 600, Interaction: 600, IdToken: 600 },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string };
      if (context.path === '/jwks' && this.publishedKeys) context.body = { keys: this.publishedKeys };
      if (context.path === '/token' && body.id_token !== undefined && this.changeToken)
        context.body = { ...body, id_token: this.changeToken(body.id_token) };
    });
    return provider;
  }
}
