import { OauthProvidersService } from '@app/connections';
import type { JsonObject } from '@app/kernel';
import { SourceProvidersService } from './source-providers.service.js';

const CLIENT = { clientId: 'agents', clientSecret: null };
const WIKI: JsonObject = {
  title: 'Wiki',
  authorize_url: 'https://wiki.example.com/authorize',
  token_url: 'https://wiki.example.com/token',
  api: {
    base_url: 'https://wiki.example.com/api',
    scope: { field: 'spaces' },
    list: { path: '/pages' },
    item: { key: '{/id}' },
    contents: [{ when: { value: '{/kind}', matches: '^page$' }, path: '/pages/{/id}' }],
  },
};

const all = (name: string, description: JsonObject) =>
  new OauthProvidersService({ oauthProviders: new Map([[name, { name, description, ...CLIENT }]]) });
const providers = (name: string, description: JsonObject) => new SourceProvidersService(all(name, description));

describe('providers with OAuth', () => {
  it('are three without a word of the operator, none of them with a client', () => {
    const built = new SourceProvidersService(new OauthProvidersService({ oauthProviders: new Map() }));
    expect(built.names).toEqual(['google_drive', 'notion', 'github']);
    expect(built.names.map((name) => built.find(name)?.client)).toEqual([null, null, null]);
  });

  it('are what the operator writes, upon the built-in description of that name', () => {
    const base_url = 'https://github.acme.example/api/v3';
    const github = providers('github', { title: 'Our GitHub', api: { base_url } }).find('github');
    expect(github).toMatchObject({
      title: 'Our GitHub',
      client: { id: 'agents', secret: null },
      api: { base_url, scope: { field: 'repositories' } },
    });
    const wiki = providers('wiki', WIKI).find('wiki');
    expect(wiki).toMatchObject({
      scopes: [],
      client_authentication: 'basic',
      api: { list: { method: 'GET', query: {} }, next: null },
    });
    expect(wiki?.shape.read({}, '/config')).toEqual({ spaces: [] });
    expect(() => wiki?.shape.read({ spaces: ['../x'] }, '/config')).toThrow(/pattern/);
  });

  it('are no connectors without a description of their API, and can be connected to', () => {
    const { api: _, ...login } = WIKI;
    expect(providers('wiki', login).names).toEqual(['google_drive', 'notion', 'github']);
    expect(all('wiki', { ...login, revocation_url: 'https://wiki.example.com/revoke' }).find('wiki')).toMatchObject({
      title: 'Wiki',
      api: null,
      issuer: null,
      revocation_url: 'https://wiki.example.com/revoke',
      client: { id: 'agents', secret: null },
    });
  });

  it.each([
    [{ ...WIKI, token_url: 'ftp://x' }, 'providers.wiki.token_url'],
    [{ ...WIKI, tokenurl: 'https://x' }, 'providers.wiki.tokenurl'],
    [{ title: 'Wiki' }, 'providers.wiki.authorize_url'],
    [{ ...WIKI, api: {} }, 'providers.wiki.api.base_url'],
    [{ ...WIKI, revocation_url: 'wiki' }, 'providers.wiki.revocation_url'],
    [
      { ...WIKI, api: { ...(WIKI.api as JsonObject), scope: { field: 'spaces', pattern: '(' } } },
      'Invalid regular expression',
    ],
  ])('are refused with the place of a mistake: %#', (description, place) => {
    expect(() => providers('wiki', description)).toThrow(place);
  });
});
