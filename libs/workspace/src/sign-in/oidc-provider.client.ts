import { DomainError } from '@app/kernel';
import { type EgressClient, EgressError, egressFetch } from '@app/platform/egress';
import * as oidc from 'openid-client';
import type { OidcSettings } from './oidc-settings.js';

const REQUEST_MILLIS = 10_000;
const MAX_ANSWER = 1024 * 1024;
const DISCOVERY_MILLIS = 3_600_000;

/** The browser stores them. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/**
 * A person whom the provider has identified. `email` is set only if the provider has verified the address, or if the
 * operator trusts unverified addresses.
 */
export interface OidcPerson {
  issuer: string;
  subject: string;
  email: string | undefined;
  claimedEmail: string | undefined;
  groups: readonly string[] | undefined;
}

type Claims = Readonly<Record<string, unknown>>;

export class OidcProviderClient {
  private discovered: { configuration: Promise<oidc.Configuration>; at: number } | undefined;

  constructor(
    private readonly settings: OidcSettings,
    private readonly egress: EgressClient,
    private readonly redirectUri: string,
    private readonly monotonicMillis: () => number,
  ) {}

  /** @throws DomainError `unavailable` */
  async begin(): Promise<{ url: string; checks: OidcChecks }> {
    const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const url = oidc.buildAuthorizationUrl(await this.configuration(), {
      redirect_uri: this.redirectUri,
      scope: 'openid email profile',
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
    });
    return { url: url.href, checks };
  }

  /**
   * The ID token must have a signature of a key that the provider publishes at this time.
   * @throws DomainError `invalid_sign_in` if a check fails or the provider rejected the sign-in, `unavailable`
   */
  async finish(query: string, { state, nonce, verifier }: OidcChecks): Promise<OidcPerson> {
    // The configuration caches the keys of the provider. A new one does not miss a key that the provider has replaced.
    const configuration = await this.discover();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${this.redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const identity: Claims = { ...tokens.claims() };
      return this.personOf(identity, await this.moreClaims(configuration, tokens.access_token, identity));
    } catch (error) {
      if (error instanceof EgressError) throw unavailable(error);
      const cause = { cause: error };
      throw new DomainError(
        'invalid_sign_in',
        'The identity provider did not confirm the sign-in. Sign in again.',
        cause,
      );
    }
  }

  /**
   * Many providers return the address or the groups only in the user info. Checks that the user info and the ID token
   * have the same subject.
   */
  private async moreClaims(configuration: oidc.Configuration, accessToken: string, claims: Claims): Promise<Claims> {
    const { groupsClaim } = this.settings;
    const isComplete = 'email' in claims && (groupsClaim === undefined || groupsClaim in claims);
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await oidc.fetchUserInfo(configuration, accessToken, String(claims.sub))) };
  }

  private personOf(identity: Claims, more: Claims): OidcPerson {
    // The address and `email_verified` must come from the same source: the ID token or the user info.
    const { email, email_verified: isVerified } = 'email' in identity ? identity : more;
    const { groupsClaim, trustsEmail } = this.settings;
    const claimedEmail = typeof email === 'string' ? email : undefined;
    const groups = groupsClaim === undefined ? undefined : (identity[groupsClaim] ?? more[groupsClaim]);
    return {
      issuer: String(identity.iss),
      subject: String(identity.sub),
      email: isVerified === true || trustsEmail ? claimedEmail : undefined,
      claimedEmail,
      groups: textsOf(groups),
    };
  }

  private configuration(): Promise<oidc.Configuration> {
    const now = this.monotonicMillis();
    if (this.discovered && now - this.discovered.at < DISCOVERY_MILLIS) return this.discovered.configuration;
    const discovered = { configuration: this.discover(), at: now };
    this.discovered = discovered;
    discovered.configuration.catch(() => {
      if (this.discovered === discovered) this.discovered = undefined;
    });
    return discovered.configuration;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    try {
      return await oidc.discovery(issuer, clientId, undefined, authentication(clientSecret), {
        [oidc.customFetch]: this.fetch,
        execute: [
          oidc.enableNonRepudiationChecks,
          // oxlint-disable-next-line typescript/no-deprecated -- the settings allow plain HTTP on loopback only
          ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
        ],
      });
    } catch (error) {
      throw unavailable(error);
    }
  }

  private readonly fetch: oidc.CustomFetch = (url, { body, ...options }) => {
    const limits = { timeoutMs: REQUEST_MILLIS, maxResponseBytes: MAX_ANSWER };
    const text = body instanceof URLSearchParams ? body.toString() : body;
    return egressFetch(this.egress, limits)(url, {
      ...options,
      ...(text !== undefined && { body: text as RequestInit['body'] }),
    });
  };
}

/** Sends the client secret in the header, or in the body if the provider supports only the body. */
function authentication(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    return authenticate(secret)(server, client, body, headers);
  };
}

function textsOf(claim: unknown): readonly string[] | undefined {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((each) => typeof each === 'string') : undefined;
}

function unavailable(cause: unknown): DomainError {
  return new DomainError(
    'unavailable',
    'The provider for single sign-on does not respond as expected. Try again later, or ask the operator.',
    {
      cause,
    },
  );
}
