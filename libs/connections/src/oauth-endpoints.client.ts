import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { EgressClient, EgressError } from '@app/platform/egress';
import { SecretRedaction } from '@app/platform/observability';
import { decodeText } from '@app/platform/text';
import { Injectable } from '@nestjs/common';
import type { OauthClient, OauthProvider } from './oauth-provider.js';

export type TokenEndpoint = Pick<OauthProvider, 'title' | 'token_url' | 'client_authentication' | 'client'>;

/** `expiresIn` is in seconds. */
export interface GivenTokens {
  access: string;
  refresh: string | null;
  expiresIn: number | null;
  account?: string;
}

export type StoredTokens = Pick<GivenTokens, 'access' | 'refresh'>;

export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';

  constructor(
    message: string,
    /** True if the provider no longer accepts the grant, so that a retry cannot succeed. */
    readonly isFinal: boolean,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
  }
}

/**
 * Error codes of a grant that is no longer valid. `invalid_grant` is defined by RFC 6749, section 5.2;
 * `bad_refresh_token` is specific to GitHub.
 */
const GRANT_IS_GONE = ['invalid_grant', 'bad_refresh_token'];
const MAX_ANSWER = 256 * 1024;
const TOKEN_MILLIS = 20_000;
const REVOCATION_MILLIS = 5_000;
const MAX_LIFE = 10 * 365 * 86_400;

/** Calls the token endpoint (RFC 6749, section 3.2) and the revocation endpoint (RFC 7009) of a provider. */
@Injectable()
export class OauthEndpointsClient {
  constructor(private readonly egress: EgressClient) {}

  /** @throws TokenRefused */
  exchange(provider: OauthProvider, code: string, verifier: string, redirectUri: string): Promise<GivenTokens> {
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    return this.requestTokens(provider, grant);
  }

  /**
   * Keeps the old refresh token if the provider returns no new one.
   * @throws TokenRefused
   */
  async refresh(provider: OauthProvider, token: string): Promise<GivenTokens> {
    const given = await this.requestTokens(provider, { grant_type: 'refresh_token', refresh_token: token });
    return { ...given, refresh: given.refresh ?? token };
  }

  /**
   * Requests a token for the client itself (RFC 6749, section 4.4).
   * @throws TokenRefused
   */
  clientCredentials(endpoint: TokenEndpoint, parameters: Readonly<Record<string, string>>): Promise<GivenTokens> {
    return this.requestTokens(endpoint, { ...parameters, grant_type: 'client_credentials' });
  }

  async revokeTokens(provider: OauthProvider, { access, refresh }: StoredTokens): Promise<boolean> {
    const { client } = provider;
    if (!client) return false;
    const url = provider.revocation_url ?? (await this.revocationUrl(provider.issuer));
    if (url === null) return false;
    // Not every provider revokes the access token together with the refresh token, so both are revoked.
    const refreshed = refresh === null || (await this.revoke({ ...provider, client }, url, refresh, 'refresh_token'));
    return (await this.revoke({ ...provider, client }, url, access, 'access_token')) && refreshed;
  }

  private async requestTokens(provider: TokenEndpoint, grant: Record<string, string>): Promise<GivenTokens> {
    const { client, title, token_url: url } = provider;
    if (!client) throw new TokenRefused(`The operator has not configured ${title} in OAUTH_PROVIDERS.`, false);
    try {
      const request = { ...clientRequest({ ...provider, client }, url, grant), timeoutMs: TOKEN_MILLIS };
      const answer = await this.egress.request({ ...request, maxResponseBytes: MAX_ANSWER });
      return tokensOf(title, answer.status, answer.body, sentSecrets(client, grant));
    } catch (cause) {
      if (!(cause instanceof EgressError)) throw cause;
      throw new TokenRefused(`${title} cannot be reached: ${cause.message}`, false, { cause });
    }
  }

  private async revoke(
    provider: OauthProvider & { client: OauthClient },
    url: string,
    token: string,
    hint: string,
  ): Promise<boolean> {
    const request = clientRequest(provider, url, { token, token_type_hint: hint });
    const answer = await this.answerOf({ ...request, timeoutMs: REVOCATION_MILLIS });
    return answer !== undefined && answer.status >= 200 && answer.status < 300;
  }

  private async revocationUrl(issuer: string | null): Promise<string | null> {
    if (issuer === null || !URL.canParse(issuer)) return null;
    for (const url of metadataUrls(issuer)) {
      const answer = await this.answerOf({ url, method: 'GET', timeoutMs: REVOCATION_MILLIS });
      const metadata = answer?.status === 200 ? parsed(answer.body) : {};
      if (metadata.issuer !== issuer) continue;
      const { revocation_endpoint: endpoint } = metadata;
      if (typeof endpoint === 'string') return endpoint;
    }
    return null;
  }

  private async answerOf(request: Parameters<EgressClient['request']>[0]) {
    try {
      return await this.egress.request({ ...request, maxResponseBytes: MAX_ANSWER });
    } catch (error) {
      if (error instanceof EgressError) return undefined;
      throw error;
    }
  }
}

function clientRequest(
  { client, client_authentication: way }: Pick<TokenEndpoint, 'client_authentication'> & { client: OauthClient },
  url: string,
  form: Readonly<Record<string, string>>,
): { url: string; method: 'POST'; headers: Record<string, string>; body: string } {
  const body = new URLSearchParams(form);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (client.secret === null) body.set('client_id', client.id);
  else authenticate(client.id, client.secret, way, { headers, body });
  return { url, method: 'POST', headers, body: body.toString() };
}

function authenticate(
  id: string,
  secret: string,
  way: OauthProvider['client_authentication'],
  { headers, body }: { headers: Record<string, string>; body: URLSearchParams },
): void {
  switch (way) {
    case 'basic':
      headers.authorization = basic(id, secret);
      return;
    case 'post':
      body.set('client_id', id);
      body.set('client_secret', secret);
  }
}

/** Builds the Basic header. Id and secret are form-encoded before the base64 encoding. */
function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((part) => new URLSearchParams({ part }).toString().slice('part='.length)).join(':');
  return `Basic ${Buffer.from(encoded).toString('base64')}`;
}

const PLAIN_PARAMETERS = ['grant_type', 'redirect_uri', 'scope'];

function sentSecrets({ id, secret }: OauthClient, grant: Readonly<Record<string, string>>): string[] {
  const given = Object.entries(grant).filter(([name]) => !PLAIN_PARAMETERS.includes(name));
  const client = secret === null ? [] : [secret, basic(id, secret).slice('Basic '.length)];
  return [...client, ...given.map(([, value]) => value)];
}

function tokensOf(title: string, status: number, body: Buffer, secrets: readonly string[]): GivenTokens {
  const answer = parsed(body);
  const { error, error_description: why, access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
  if (typeof error === 'string') {
    const issued = [access, refresh, answer.id_token].filter((token) => typeof token === 'string');
    const redaction = new SecretRedaction([...secrets, ...issued]);
    const words = redaction.text([error, ...(typeof why === 'string' ? [why] : [])].join(': ')).slice(0, 300);
    throw new TokenRefused(`${title} responded with the error ${words}`, GRANT_IS_GONE.includes(error));
  }
  if (status !== 200 || typeof access !== 'string' || access === '')
    throw new TokenRefused(`${title} responded with HTTP status ${status} and no token.`, false);
  const expiresIn = seconds === undefined || seconds === null ? NaN : Number(seconds);
  return {
    access,
    refresh: typeof refresh === 'string' && refresh !== '' ? refresh : null,
    expiresIn: expiresIn >= 0 ? Math.min(expiresIn, MAX_LIFE) : null,
    ...accountOf(answer.id_token),
  };
}

const ACCOUNT_CLAIMS = ['email', 'preferred_username', 'name', 'sub'];

/**
 * Reads the account from an ID token. The signature is not checked: the token came directly from the token endpoint
 * (OpenID Connect Core, section 3.1.3.7), and the account is only shown to people.
 */
function accountOf(idToken: JsonValue | undefined): Pick<GivenTokens, 'account'> {
  if (typeof idToken !== 'string') return {};
  const claims = parsed(Buffer.from(idToken.split('.')[1] ?? '', 'base64url'));
  const names = ACCOUNT_CLAIMS.map((claim) => claims[claim]);
  const account = names.find((name): name is string => typeof name === 'string' && /^[^\p{Cc}]{1,300}$/u.test(name));
  return account === undefined ? {} : { account };
}

function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function parsed(body: Buffer): JsonObject {
  try {
    const value = JSON.parse(decodeText(body).text) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
