import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@app/kernel';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import { followHints } from '../support/hint-trail.js';
import { type LoneScene, Scene } from '../support/scene.js';

const PROVIDERS = [
  { provider: 'anthropic', key: 'ANTHROPIC_API_KEY', model: 'claude-sonnet-5-5' },
  { provider: 'openai', key: 'OPENAI_API_KEY', model: 'gpt-6.1-terra' },
] as const;

/** The profiles, with the variables that must be set. The names are those of docs/models.md. */
const PROFILES: Readonly<Record<string, { profile: JsonObject; model: string; variables: readonly string[] }>> = {
  anthropic: {
    profile: { type: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' },
    model: 'claude-sonnet-5-5',
    variables: ['ANTHROPIC_API_KEY'],
  },
  openai: {
    profile: { type: 'openai', api_key_env: 'OPENAI_API_KEY' },
    model: 'gpt-6.1-terra',
    variables: ['OPENAI_API_KEY'],
  },
  gemini: {
    profile: { type: 'google', api_key_env: 'GEMINI_KEY' },
    model: 'gemini-3.8-flash',
    variables: ['GEMINI_KEY'],
  },
  mistral: {
    profile: { type: 'mistral', api_key_env: 'MISTRAL_KEY' },
    model: 'mistral-medium-latest',
    variables: ['MISTRAL_KEY'],
  },
  azure: {
    profile: { type: 'azure', base_url: process.env.AZURE_BASE_URL ?? '', api_key_env: 'AZURE_KEY' },
    model: process.env.AZURE_DEPLOYMENT ?? '',
    variables: ['AZURE_KEY', 'AZURE_BASE_URL', 'AZURE_DEPLOYMENT'],
  },
  bedrock: {
    profile: { type: 'bedrock', region: process.env.BEDROCK_REGION ?? '', api_key_env: 'BEDROCK_KEY' },
    model: process.env.BEDROCK_MODEL ?? '',
    variables: ['BEDROCK_KEY', 'BEDROCK_REGION', 'BEDROCK_MODEL'],
  },
  vertex: {
    profile: {
      type: 'vertex',
      project: process.env.VERTEX_PROJECT ?? '',
      location: process.env.VERTEX_LOCATION ?? 'global',
      credentials_env: 'GCP_JSON',
    },
    model: 'gemini-3.8-flash',
    variables: ['GCP_JSON', 'VERTEX_PROJECT'],
  },
};

/** The tests of this file call external services. They run only for providers whose key is set, and cost some cents. */
describe.each(Object.entries(PROFILES))('a model of the provider %s itself', (name, { profile, model, variables }) => {
  const values = variables.map((variable) => [variable, process.env[variable] ?? ''] as const);
  const withKey = values.every(([, value]) => value !== '') ? it : it.skip;
  let scene: LoneScene | undefined;

  afterEach(async () => {
    await scene?.stop();
  });

  withKey('follows hints over several turns with its reasoning', async () => {
    const env = { MODEL_PROVIDERS: JSON.stringify({ providers: { [name]: profile } }), ...Object.fromEntries(values) };
    scene = await Scene.alone({ why: 'needs the API key of a provider', env });
    await followHints(scene, { provider: name, name: model, params: { effort: 'high', max_output_tokens: 4_000 } });
  });
});

describe.each(PROVIDERS)('the refund desk with a model of $provider itself', ({ provider, key, model }) => {
  const secret = process.env[key] ?? '';
  const withKey = secret === '' ? it.skip : it;
  let scene: LoneScene | undefined;

  afterEach(async () => {
    await scene?.stop();
  });

  withKey('looks the order up, refunds what is owed and says so', async () => {
    scene = await Scene.alone({ why: 'needs the API key of a provider', env: { [key]: secret } });
    const { ledger, stack } = scene;
    ledger.always('/orders/7', {
      body: { order_id: '7', total: 40, currency: 'EUR', status: 'lost by the carrier' },
    });
    const text = await readFile('test/fixtures/agents/refund-desk.yaml', 'utf8');
    const definition = parse(text.replaceAll('http://127.0.0.1:4000', ledger.url)) as JsonObject;
    // The definition has no budget, because a budget cannot be enforced without a price list.
    const desk = {
      ...definition,
      limits: { max_steps: 30 },
      model: { provider, name: model, params: { max_output_tokens: 4_000 } },
    };
    const agent = await stack.client.createAgent(desk);
    const { id } = await stack.client.startRun(agent, {
      from: 'ann@example.com',
      subject: 'Order 7 never arrived',
      body: 'Order 7 never arrived. The carrier has lost it. Please refund the 40 euros that I paid.',
    });
    const ended = await eventually(async () => {
      const run = await stack.client.run(id);
      expect(run.ended_at).not.toBeNull();
      return run;
    });
    expect(ended).toMatchObject({ status: 'succeeded', output: { resolution: 'refunded' } });
    expect(ledger.callsOf('/orders/7')).not.toHaveLength(0);
    expect(ledger.callsOf('/orders/7/refunds').map(({ body }) => JSON.parse(body) as JsonObject)).toEqual([
      { amount: 40 },
    ]);
  });
});
