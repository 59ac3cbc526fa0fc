import { sha256 } from '@app/platform/crypto';
import type { OauthProvider } from './oauth-provider.js';

export interface AuthorizationRequestParts {
  clientId: string;
  redirectUri: string;
  state: string;
  verifier: string;
}

/**
 * By default, it asks the provider to show the page even if the person has consented before. Otherwise a provider that
 * knows the person redirects back at once, and the person sees neither the permissions nor the account.
 */
export function authorizationUrl(
  {
    authorize_url,
    authorize_parameters,
    scopes,
  }: Pick<OauthProvider, 'authorize_url' | 'authorize_parameters' | 'scopes'>,
  { clientId, redirectUri, state, verifier }: AuthorizationRequestParts,
): string {
  const url = new URL(authorize_url);
  const parameters = {
    // `select_account` is a value of OpenID Connect (Core, section 3.1.2.1).
    prompt: scopes.includes('openid') ? 'select_account consent' : 'consent',
    ...authorize_parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    state,
    code_challenge: sha256(verifier).toString('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
