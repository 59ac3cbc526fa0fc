import type { JsonObject } from '@app/kernel';

/** The client that the providers know. */
export const CLIENT = { id: 'agents', secret: 'a-secret:with/odd+characters' };

/**
 * The providers in OAUTH_PROVIDERS of the shared service. `url` is the address of the server of all of them. Sources and
 * connections use `wiki` and the built-in providers.
 */
export function oauthProviders(url: string): JsonObject {
  const common = {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    authorize_url: `${url}/auth`,
    token_url: `${url}/token`,
    issuer: url,
    scopes: ['openid', 'offline_access', 'read'],
    authorize_parameters: { prompt: 'login' },
    client_authentication: 'basic',
  };
  const api = {
    base_url: `${url}/api`,
    scope: {
      field: 'spaces',
      everything: 'all',
      choices: { path: '/spaces', id: '{/key}', title: '{/name}' },
    },
    list: { path: '/spaces/{scope}/pages', query: { limit: '2' } },
    items_pointer: '/pages',
    next: { pointer: '/next', query: 'cursor' },
    item: { key: '{/id}', title: '{/title}', updated: '{/changed}' },
    contents: [{ when: { value: '{/kind}', matches: '^page$' }, path: '/pages/{/id}', media_type: 'text/html' }],
  };
  const { choices: _choices, ...unlisted } = api.scope;
  const builtIn = (name: string): JsonObject => ({ ...common, api: { base_url: `${url}/api/${name}` } });
  const wiki = { title: 'Our wiki', ...common, api };
  return {
    wiki,
    google_drive: builtIn('google'),
    notion: builtIn('notion'),
    github: builtIn('github'),
    /** A callback of this provider need not name an issuer, so its revocation address is unknown. */
    silent: { ...common, title: 'Silent', issuer: null },
    named: { ...common, title: 'Named', revocation_url: `${url}/token/revocation` },
    /** What its sources can be restricted to is not listed. */
    flat: { ...wiki, title: 'Flat', api: { ...api, scope: unlisted } },
    inside: { ...wiki, title: 'Inside', token_url: 'http://169.254.169.254/token' },
    impostor: { ...wiki, title: 'Impostor', issuer: 'https://impostor.example.com' },
  };
}
