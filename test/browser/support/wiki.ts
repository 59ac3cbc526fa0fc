import type { JsonObject } from '@app/kernel';
import { CLIENT } from '../../support/oauth-providers.js';

/** Configuration of a provider for OAUTH_PROVIDERS: a wiki whose pages `url` serves. */
export function aWiki(url: string): JsonObject {
  return {
    title: 'Our wiki',
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    authorize_url: `${url}/auth`,
    token_url: `${url}/token`,
    issuer: url,
    scopes: ['openid', 'offline_access', 'read'],
    authorize_parameters: { prompt: 'login' },
    client_authentication: 'basic',
    api: {
      base_url: `${url}/api`,
      scope: {
        field: 'spaces',
        everything: 'handbook',
        choices: { path: '/spaces', id: '{/key}', title: '{/name}' },
      },
      list: { path: '/spaces/{scope}/pages' },
      items_pointer: '/pages',
      next: { pointer: '/next', query: 'cursor' },
      item: { key: '{/id}', title: '{/title}', updated: '{/changed}' },
      contents: [{ when: { value: '{/kind}', matches: '^page$' }, path: '/pages/{/id}', media_type: 'text/html' }],
    },
  };
}
