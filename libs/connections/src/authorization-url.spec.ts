import { authorizationUrl } from './authorization-url.js';
import { BUILT_IN_PROVIDERS } from './built-in-providers.js';
import { PROVIDER_SHAPE } from './oauth-provider.js';

describe('authorizationUrl', () => {
  const parts = { clientId: 'us', redirectUri: 'https://aas.example.com/cb', state: 'st', verifier: 'ver' };
  const parameters = (provider: Partial<Parameters<typeof authorizationUrl>[0]>) => {
    const defaults = {
      authorize_url: 'https://wiki.example.com/consent?tenant=1',
      authorize_parameters: {},
      scopes: [],
    };
    return Object.fromEntries(new URL(authorizationUrl({ ...defaults, ...provider }, parts)).searchParams);
  };

  it('has the parameters of the code flow with PKCE, which the operator cannot replace', () => {
    const own = { state: 'theirs', code_challenge_method: 'plain', audience: 'api' };
    expect(parameters({ scopes: ['read', 'write'], authorize_parameters: own })).toEqual({
      tenant: '1',
      audience: 'api',
      prompt: 'consent',
      response_type: 'code',
      client_id: 'us',
      redirect_uri: 'https://aas.example.com/cb',
      scope: 'read write',
      state: 'st',
      code_challenge: 'z1Qq2hNe4-3LvnsxADGSx1KVx-_w7-dZOgoLD3ktUlY',
      code_challenge_method: 'S256',
    });
  });

  it('asks the provider to show its consent page, and an OpenID provider also to show its accounts', () => {
    expect(parameters({ scopes: ['read'] }).prompt).toBe('consent');
    expect(parameters({ scopes: ['openid', 'read'] }).prompt).toBe('select_account consent');
    expect(parameters({ scopes: ['openid'], authorize_parameters: { prompt: 'login' } }).prompt).toBe('login');
  });

  it.each([
    ['google_drive', 'select_account consent'],
    ['notion', 'consent'],
    ['github', 'select_account'],
  ])('asks %s for %s', (name, prompt) => {
    expect(parameters(PROVIDER_SHAPE.read({ ...BUILT_IN_PROVIDERS[name] }, '')).prompt).toBe(prompt);
  });
});
