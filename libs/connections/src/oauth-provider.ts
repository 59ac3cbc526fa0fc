/** This installation, as an OAuth provider knows it. */
export interface OauthClient {
  id: string;
  /** Null: a public client. */
  secret: string | null;
}

/** An OAuth provider: how people authorise this installation there (OAuth 2.1, authorisation code with PKCE). */
export interface OauthProvider {
  /** The name by which the service knows it. */
  name: string;
  /** Its name for people. */
  title: string;
  authorize_url: string;
  token_url: string;
  /** What `iss` of the callback has to be (RFC 9207), where the provider sends it. */
  issuer: string | null;
  scopes: string[];
  authorize_parameters: Record<string, string>;
  client_authentication: 'basic' | 'post';
  /** Null: the operator has not registered this installation with it. */
  client: OauthClient | null;
}
