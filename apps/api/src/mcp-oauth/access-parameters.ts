import type { JsonObject, JsonValue } from '@app/kernel';

/** The parameters of a request for access, which the authorization server has checked. */
export interface AccessParameters {
  clientId: string;
  redirectUri: string;
  resource: string;
  /** S256 code challenge. */
  codeChallenge: string;
  state: string | undefined;
}

/** Reads the parameters as the authorization server has stored them. */
export function readAccessParameters(stored: JsonObject): AccessParameters {
  return {
    clientId: textOf(stored.client_id),
    redirectUri: textOf(stored.redirect_uri),
    resource: textOf(stored.resource),
    codeChallenge: textOf(stored.code_challenge),
    state: typeof stored.state === 'string' ? stored.state : undefined,
  };
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
