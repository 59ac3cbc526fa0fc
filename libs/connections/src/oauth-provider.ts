/** The registration of this installation at an OAuth provider. */
export interface OauthClient {
  id: string;
  /** Null for a public client, which has no secret. */
  secret: string | null;
}

/** An OAuth provider for the authorisation code flow with PKCE (OAuth 2.1). */
export interface OauthProvider {
  /** Name of the provider in the API. */
  name: string;
  /** Display name. */
  title: string;
  authorize_url: string;
  token_url: string;
  /** The expected `iss` of the callback (RFC 9207), if the provider sends it. */
  issuer: string | null;
  scopes: string[];
  authorize_parameters: Record<string, string>;
  client_authentication: 'basic' | 'post';
  /** Null if the operator has not registered this installation with the provider. */
  client: OauthClient | null;
}
