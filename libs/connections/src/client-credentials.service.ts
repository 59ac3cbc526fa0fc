import { canonicalJson } from '@app/kernel';
import { SigningKey } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import type { OauthProvider } from './oauth-provider.js';
import { CLIENT_CREDENTIALS_PREFIX } from './shared-token.repository.js';
import { type AccessToken, SharedTokensService } from './shared-tokens.service.js';
import { OauthEndpointsClient } from './oauth-endpoints.client.js';

export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly clientAuthentication: OauthProvider['client_authentication'];
}

/** Tools of a workspace with the same credentials and scopes share a token. */
@Injectable()
export class ClientCredentialsService {
  constructor(
    private readonly tokens: SharedTokensService,
    private readonly endpoint: OauthEndpointsClient,
    private readonly signingKey: SigningKey,
  ) {}

  /**
   * @param refused a token that a server rejected; the method returns a different one
   * @throws TokenRefused
   */
  accessToken(workspaceId: string, credentials: ClientCredentials, refused?: AccessToken): Promise<AccessToken> {
    const owner = { workspaceId, key: this.keyOf(credentials) };
    const renew = () => this.request(credentials);
    return refused ? this.tokens.replaceToken(owner, refused, renew) : this.tokens.accessToken(owner, renew);
  }

  private request({ tokenUrl, clientId, clientSecret, scopes, parameters, clientAuthentication }: ClientCredentials) {
    const endpoint = {
      title: new URL(tokenUrl).host,
      token_url: tokenUrl,
      client_authentication: clientAuthentication,
      client: { id: clientId, secret: clientSecret },
    };
    const scope: Readonly<Record<string, string>> = scopes.length > 0 ? { scope: scopes.join(' ') } : {};
    return this.endpoint.clientCredentials(endpoint, { ...parameters, ...scope });
  }

  /** Returns the key of the stored token: an HMAC, because weak secrets could be guessed from a plain hash. */
  private keyOf(credentials: ClientCredentials): string {
    const mac = this.signingKey.hmac(
      'client credentials',
      canonicalJson({ ...credentials, scopes: [...credentials.scopes] }),
    );
    return `${CLIENT_CREDENTIALS_PREFIX}${mac.toString('hex')}`;
  }
}
