import { isJsonObject, type JsonValue } from '@app/kernel';
import { EgressClient, EgressError } from '@app/platform/egress';
import { Injectable } from '@nestjs/common';
import type { OauthClient, OauthProvider } from './oauth-provider.js';
import type { StoredTokens } from './shared-tokens.service.js';
import { clientRequest } from './token-endpoint.client.js';

const REQUEST_MILLIS = 5_000;
const LARGEST_ANSWER = 256 * 1024;

/** Revokes tokens at their provider (RFC 7009). */
@Injectable()
export class RevocationClient {
  constructor(private readonly egress: EgressClient) {}

  /** Returns true if the provider confirmed the revocation of every token. */
  async revokeTokens(provider: OauthProvider, { access, refresh }: StoredTokens): Promise<boolean> {
    const { client } = provider;
    if (!client) return false;
    const url = provider.revocation_url ?? (await this.endpointOf(provider.issuer));
    if (url === null) return false;
    // Not every provider revokes the access token together with the refresh token, so both are revoked.
    const refreshed = refresh === null || (await this.revoke({ ...provider, client }, url, refresh, 'refresh_token'));
    return (await this.revoke({ ...provider, client }, url, access, 'access_token')) && refreshed;
  }

  private async revoke(
    provider: OauthProvider & { client: OauthClient },
    url: string,
    token: string,
    hint: string,
  ): Promise<boolean> {
    const request = clientRequest(provider, url, { token, token_type_hint: hint });
    const answer = await this.request({ ...request, timeoutMs: REQUEST_MILLIS });
    return answer !== undefined && answer.status >= 200 && answer.status < 300;
  }

  /** Reads `revocation_endpoint` from the metadata of the issuer (RFC 8414, OpenID Connect Discovery). */
  private async endpointOf(issuer: string | null): Promise<string | null> {
    if (issuer === null || !URL.canParse(issuer)) return null;
    for (const url of metadataUrls(issuer)) {
      const answer = await this.request({ url, method: 'GET', timeoutMs: REQUEST_MILLIS });
      const metadata = answer?.status === 200 ? parsed(answer.body) : null;
      if (!isJsonObject(metadata) || metadata.issuer !== issuer) continue;
      const { revocation_endpoint: endpoint } = metadata;
      if (typeof endpoint === 'string') return endpoint;
    }
    return null;
  }

  /** Returns undefined if the provider cannot be reached. */
  private async request(request: Parameters<EgressClient['request']>[0]) {
    try {
      return await this.egress.request({ ...request, maxResponseBytes: LARGEST_ANSWER });
    } catch (error) {
      if (error instanceof EgressError) return undefined;
      throw error;
    }
  }
}

function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function parsed(body: Buffer): JsonValue {
  try {
    return JSON.parse(body.toString('utf8')) as JsonValue;
  } catch {
    return null;
  }
}
