import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '@app/platform/config';
import { type OauthConfig, oauthConfig } from './oauth.config.js';

const load = (source: Record<string, string>): OauthConfig => Config.load([oauthConfig], source).get(oauthConfig);

describe('OAUTH_PROVIDERS', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oauth-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function read(text: string, more: Record<string, string> = {}): Promise<OauthConfig> {
    const file = join(folder, 'providers.yaml');
    await writeFile(file, text);
    return load({ OAUTH_PROVIDERS: file, ...more });
  }

  it('returns clients by name with their descriptions', async () => {
    const text =
      'providers:\n  github: { client_id: abc, client_secret_env: SECRET, title: Ours }\n  wiki: { client_id: x }';
    const { oauthProviders } = await read(text, { SECRET: 'hush' });
    expect([...oauthProviders.values()]).toEqual([
      { name: 'github', clientId: 'abc', clientSecret: 'hush', description: { title: 'Ours' } },
      { name: 'wiki', clientId: 'x', clientSecret: null, description: {} },
    ]);
    expect(load({}).oauthProviders.size).toBe(0);
  });

  it.each([
    ['providers: { github: {} }', 'providers.github.client_id'],
    ['providers: { "A b": { client_id: x } }', 'providers.A b'],
    ['providers: { github: { client_id: x, client_secret_env: NOT_SET } }', 'providers.github.client_secret_env'],
    ['clients: {}', 'clients'],
    ['{', 'YAML file'],
  ])('names the place of a mistake but no value: %s', async (text, place) => {
    await expect(read(text, { SECRET: 'hush' })).rejects.toThrow(place);
  });

  it.each([
    ['a flow mapping', '{ providers: { wiki: { client_id: k } } }'],
    ['one line', 'providers: { wiki: { client_id: k } }'],
    ['several lines', '# ours\nproviders:\n  wiki: { client_id: k }\n'],
  ])('can be the text of the variable itself: %s', (_, text) => {
    expect([...load({ OAUTH_PROVIDERS: text }).oauthProviders.keys()]).toEqual(['wiki']);
  });

  it('is not repeated in an error message if the variable has the YAML itself', () => {
    const loading = () => load({ OAUTH_PROVIDERS: 'providers:\n  wiki: { api_key: s3cret' });
    expect(loading).toThrow(/OAUTH_PROVIDERS has a value that is not allowed: expected YAML/);
    expect(loading).not.toThrow(/s3cret/);
  });
});
