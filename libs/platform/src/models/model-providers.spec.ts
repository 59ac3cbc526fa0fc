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
