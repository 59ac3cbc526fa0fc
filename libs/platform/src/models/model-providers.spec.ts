import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '@app/platform/config';
import { modelsConfig, UNKNOWN_MODEL } from './index.js';

const loadModels = (source: Record<string, string>) => Config.load([modelsConfig], source).get(modelsConfig);

describe('model providers', () => {
  const directory = mkdtempSync(join(tmpdir(), 'providers-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const load = (text: string, more: Record<string, string> = {}) => {
    const file = join(directory, 'providers.yaml');
    writeFileSync(file, text);
    return loadModels({ MODEL_PROVIDERS: file, ...more }).modelProviders;
  };

  it('come from the file that the operator names, with their prices in millionths', () => {
    const text = `
      providers:
        local: { type: openai-compatible, base_url: "http://localhost:11434/v1/" }
        anthropic:
          type: anthropic
          api_key_env: CLAUDE_KEY
          prices:
            claude: { input_per_million: 3, output_per_million: "15.50", currency: USD }
            cached: { input_per_million: 3, cache_read_per_million: "0.30", cache_write_per_million: 3.75, output_per_million: 15, currency: USD }`;
    const providers = load(text, { CLAUDE_KEY: 'sk-1' });
    expect(providers.get('local')).toMatchObject({
      type: 'openai-compatible',
      baseUrl: 'http://localhost:11434/v1',
      apiKey: null,
    });
    expect(providers.get('anthropic')).toMatchObject({ baseUrl: null, apiKey: 'sk-1' });
    expect(providers.get('anthropic')?.prices.get('claude')).toEqual({
      inputMicros: 3_000_000n,
      cacheReadMicros: 3_000_000n,
      cacheWriteMicros: 3_000_000n,
      outputMicros: 15_500_000n,
      currency: 'USD',
    });
    expect(providers.get('anthropic')?.prices.get('cached')).toMatchObject({
      inputMicros: 3_000_000n,
      cacheReadMicros: 300_000n,
      cacheWriteMicros: 3_750_000n,
    });
  });

  describe('of further vendors', () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const account = { client_email: 'me@p.example', private_key: privateKey, token_uri: 'https://token.example/t' };
    const variables = {
      K: 'key-1',
      S: 'secret-1',
      T: 'token-1',
      JSON_KEY: JSON.stringify(account),
      BAD: '{"s3cret":1}',
    };

    it.each([
      [
        '{ type: azure, base_url: "https://x.openai.azure.com/", api_key_env: K }',
        'https://x.openai.azure.com/openai/v1',
      ],
      ['{ type: azure, base_url: "https://x.example/openai", api_key_env: K }', 'https://x.example/openai/v1'],
      ['{ type: google, api_key_env: K }', null],
      ['{ type: mistral, api_key_env: K, base_url: "http://m/v1" }', 'http://m/v1'],
      ['{ type: bedrock, region: eu-central-1, api_key_env: K }', 'https://bedrock-runtime.eu-central-1.amazonaws.com'],
      [
        '{ type: vertex, project: p, location: global, credentials_env: JSON_KEY }',
        'https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google',
      ],
    ])('have an address: %s', (profile, address) => {
      expect(load(`providers: { x: ${profile} }`, variables).get('x')?.baseUrl).toBe(address);
    });

    it('have their secrets and their way of signing in', () => {
      const azure = load('providers: { x: { type: azure, base_url: "https://x.example", api_key_env: K } }', variables);
      expect(azure.get('x')).toMatchObject({ api: 'responses', apiKey: 'key-1', secrets: ['key-1'] });
      expect(azure.get('x')?.models.has('gpt-6.1-terra')).toBe(true);
      const keys = 'access_key_id_env: K, secret_access_key_env: S, session_token_env: T';
      const bedrock = load(`providers: { x: { type: bedrock, region: r, ${keys} } }`, variables).get('x');
      expect(bedrock).toMatchObject({
        aws: { region: 'r', keys: { accessKeyId: 'key-1', secretAccessKey: 'secret-1', sessionToken: 'token-1' } },
        secrets: ['secret-1', 'token-1'],
      });
      const profile = '{ type: vertex, project: p, location: l, credentials_env: JSON_KEY }';
      const vertex = load(`providers: { x: ${profile} }`, variables).get('x');
      expect(vertex).toMatchObject({ apiKey: null, google: { clientEmail: 'me@p.example' }, secrets: [privateKey] });
    });

    it.each([
      ['{ type: azure, api_key_env: K }', 'base_url'],
      ['{ type: azure, base_url: "http://x" }', 'api_key_env'],
      ['{ type: azure, base_url: "http://x", api_key_env: K, api: assistants }', 'api'],
      ['{ type: google }', 'api_key_env'],
      ['{ type: google, api_key_env: K, embeddings: {} }', 'embeddings'],
      ['{ type: mistral, api_key_env: NOT_SET }', 'api_key_env'],
      ['{ type: openai, api_key: s3cret, api_key_env: K }', 'api_key'],
      ['{ type: openai, region: eu-central-1 }', 'region'],
      ['{ type: bedrock, api_key_env: K }', 'region'],
      ['{ type: bedrock, region: "a/s3cret", api_key_env: K }', 'region'],
      ['{ type: bedrock, region: r }', 'api_key_env'],
      ['{ type: bedrock, region: r, access_key_id_env: K }', 'secret_access_key_env'],
      ['{ type: bedrock, region: r, access_key_id_env: K, secret_access_key_env: NOT_SET }', 'secret_access_key_env'],
      ['{ type: bedrock, region: r, api_key_env: K, access_key_id_env: K }', 'access_key_id_env'],
      ['{ type: vertex, location: l, credentials_env: JSON_KEY }', 'project'],
      ['{ type: vertex, project: p, credentials_env: JSON_KEY }', 'location'],
      ['{ type: vertex, project: p, location: l }', 'credentials_env'],
      ['{ type: vertex, project: p, location: l, credentials_env: BAD }', 'credentials_env'],
      ['{ type: vertex, project: p, location: l, credentials_env: JSON_KEY, api_key: s3cret }', 'api_key'],
    ])('are refused at boot in one line: %s', (profile, key) => {
      const start = () => load(`providers: { x: ${profile} }`, variables);
      expect(start).toThrow(new RegExp(`^MODEL_PROVIDERS: providers\\.x\\.${key} [^\\n]*$`));
      expect(start).not.toThrow('s3cret');
    });
  });

  it('say how their models embed texts', () => {
    const embeddings = 'embeddings: { small: { dimensions: 256, batch_size: 16 }, large: {} }';
    const providers = load(`providers: { x: { type: openai, ${embeddings} } }`);
    expect([...(providers.get('x')?.embeddings ?? [])]).toEqual([
      ['small', { dimensions: 256, batchSize: 16 }],
      ['large', { dimensions: null, batchSize: 64 }],
    ]);
  });

  it('have the facts of the shipped table, and those of the profile override them member by member', () => {
    const models =
      'models: { gpt-6.1-terra: { effort: [high, low], ends_at: "2030-01-31" }, own: { input: [text, pdf] } }';
    const facts = load(`providers: { x: { type: openai, ${models} } }`).get('x')?.models;
    expect(facts?.get('gpt-6.1-terra')).toEqual({
      input: ['text', 'image', 'pdf'],
      structuredOutput: true,
      effort: ['low', 'high'],
      refuses: ['temperature', 'top_p'],
      endsAt: '2030-01-31',
    });
    expect(facts?.get('own')).toEqual({ ...UNKNOWN_MODEL, input: ['text', 'pdf'] });
    expect(facts?.has('gpt-6-sol')).toBe(true);
    const gateway = load(`providers: { x: { type: openai, base_url: "http://gateway/v1", ${models} } }`).get(
      'x',
    )?.models;
    expect([...(gateway?.keys() ?? [])]).toEqual(['gpt-6.1-terra', 'own']);
    expect(loadModels({ OPENAI_API_KEY: 'k' }).modelProviders.get('openai')?.models.size).toBeGreaterThan(1);
  });

  it.each([
    ['{ type: openai }', 'responses'],
    ['{ type: openai, base_url: "http://gateway/v1" }', 'chat'],
    ['{ type: openai, base_url: "http://gateway/v1", api: responses }', 'responses'],
    ['{ type: openai, api: chat }', 'chat'],
    ['{ type: anthropic }', null],
    ['{ type: openai-compatible, base_url: "http://gateway/v1" }', null],
  ])('use the API of their type: %s', (profile, api) => {
    expect(load(`providers: { x: ${profile} }`).get('x')?.api).toBe(api);
    expect(loadModels({ OPENAI_API_KEY: 'k' }).modelProviders.get('openai')?.api).toBe('responses');
  });

  it('are those of the keys in the environment without a file', () => {
    const { modelProviders } = loadModels({ ANTHROPIC_API_KEY: 'a' });
    expect([...modelProviders.values()]).toEqual([
      expect.objectContaining({ name: 'anthropic', type: 'anthropic', api: null, baseUrl: null, apiKey: 'a' }),
    ]);
    expect(loadModels({}).modelProviders.size).toBe(0);
  });

  it.each([
    ['providers: { x: { type: magic } }', 'providers.x.type'],
    ['providers: { x: { type: openai-compatible } }', 'providers.x.base_url'],
    ['providers: { x: { type: openai, base_url: "ftp://x" } }', 'providers.x.base_url'],
    ['providers: { x: { type: openai, api_key_env: NOT_SET_ANYWHERE } }', 'providers.x.api_key_env'],
    ['providers: { x: { type: openai, apikey: s3cret } }', 'providers.x.apikey'],
    ['providers: { x: { type: openai, api: assistants } }', 'providers.x.api'],
    ['providers: { x: { type: anthropic, api: chat } }', 'providers.x.api'],
    ['providers: { x: { type: openai-compatible, base_url: "http://x", api: chat } }', 'providers.x.api'],
    [
      'providers: { x: { type: openai, prices: { m: { input_per_million: free, output_per_million: 1, currency: EUR } } } }',
      'input_per_million',
    ],
    [
      'providers: { x: { type: openai, prices: { m: { input_per_million: 1, output_per_million: 1, currency: euro } } } }',
      'currency',
    ],
    ['providers: { x: { type: openai, embeddings: { m: { dimensions: 0 } } } }', 'embeddings.m.dimensions'],
    ['providers: { x: { type: openai, embeddings: { m: { batch: 1 } } } }', 'embeddings.m.batch'],
    ['providers: { x: { type: openai, models: { m: { input: [image] } } } }', 'models.m.input'],
    ['providers: { x: { type: openai, models: { m: { input: [text, video] } } } }', 'models.m.input'],
    ['providers: { x: { type: openai, models: { m: { structured_output: s3cret } } } }', 'models.m.structured_output'],
    ['providers: { x: { type: openai, models: { m: { effort: s3cret } } } }', 'models.m.effort'],
    ['providers: { x: { type: openai, models: { m: { refuses: [effort] } } } }', 'models.m.refuses'],
    ['providers: { x: { type: openai, models: { m: { ends_at: 2027-02-30 } } } }', 'models.m.ends_at'],
    ['providers: { x: { type: openai, models: { m: { tools: true } } } }', 'models.m.tools'],
    ['providers: [', 'MODEL_PROVIDERS'],
  ])('are refused at boot with the place of the mistake: %s', (text, place) => {
    expect(() => load(text)).toThrow(place);
    expect(() => load(text)).not.toThrow('s3cret');
  });

  it('are refused when the file is not there', () => {
    expect(() => loadModels({ MODEL_PROVIDERS: join(directory, 'none.yaml') })).toThrow('MODEL_PROVIDERS');
  });

  it.each([
    ['a flow mapping', '{ providers: { x: { type: openai, api_key: k } } }'],
    ['one line', 'providers: { x: { type: openai, api_key: k } }'],
    ['several lines', '# ours\nproviders:\n  x: { type: openai, api_key: k }\n'],
  ])('can be the text of the variable itself: %s', (_, text) => {
    expect([...loadModels({ MODEL_PROVIDERS: text }).modelProviders.keys()]).toEqual(['x']);
  });

  it('that are the text of the variable are never repeated in a message', () => {
    const load = () => loadModels({ MODEL_PROVIDERS: 'providers:\n  x: { api_key: s3cret' });
    expect(load).toThrow(/MODEL_PROVIDERS has a value that is not allowed: expected YAML/);
    expect(load).not.toThrow(/s3cret/);
  });
});
