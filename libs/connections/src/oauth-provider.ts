/** The registration of this installation at an OAuth provider. */
export interface OauthClient {
  id: string;
  /** Null: a public client. */
  secret: string | null;
}

/** An OAuth provider for the authorisation code flow with PKCE (OAuth 2.1). */
export interface OauthProvider {
  /** The name in the API. */
  name: string;
  /** The name for people. */
  title: string;
  authorize_url: string;
  token_url: string;
  /** The expected `iss` of the callback (RFC 9207), if the provider sends it. */
  issuer: string | null;
  scopes: string[];
  authorize_parameters: Record<string, string>;
  client_authentication: 'basic' | 'post';
  /** Null: the operator has not registered this installation with it. */
  client: OauthClient | null;
}
