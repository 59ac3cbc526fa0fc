import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@app/kernel';
import { parse } from 'yaml';
import { eventually } from '../support/eventually.js';
import { type LoneScene, Scene } from '../support/scene.js';

const PROVIDERS = [
  { provider: 'anthropic', key: 'ANTHROPIC_API_KEY', model: 'claude-sonnet-5-5' },
  { provider: 'openai', key: 'OPENAI_API_KEY', model: 'gpt-6.1-terra' },
] as const;

/**
 * The only test that calls external services. It runs only if the environment contains an API key of a model provider,
 * and costs about a cent.
 */
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
