import type { JsonObject } from '@app/kernel';
import { stringify } from 'yaml';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { ModelServer } from '../support/model-server.js';
import type { ScriptedTurn } from '../support/model-wire.js';

const KEY = 'sk-test-0123456789abcdefghij';
const PRICES = {
  m: {
    input_per_million: '1.00',
    cache_read_per_million: '0.05',
    cache_write_per_million: '1.25',
    output_per_million: '5.00',
    currency: 'USD',
  },
};
const USAGE = { input: 1_000, output: 40, cacheRead: 600, cacheWrite: 100 };
const CALLS: ScriptedTurn = { calls: [{ name: 'echo', input: { word: 'ready' } }], usage: USAGE };

describe('POST /v1/model-checks', () => {
  let models: ModelServer;
  let api: TestApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    models = await ModelServer.start();
    const ours = { type: 'openai', api: 'responses', base_url: models.url, api_key: KEY };
    const providers = {
      plain: { ...ours, prices: PRICES },
      chat: { type: 'openai', base_url: models.url, api_key: KEY, models: { m: { structured_output: true } } },
      shaped: { ...ours, prices: PRICES, models: { m: { structured_output: true } } },
    };
    api = await startApi({ env: { MODEL_PROVIDERS: stringify({ providers }) } });
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
  });
  afterEach(() => models.reset());
  afterAll(async () => {
    await api.close();
    await models.close();
  });

  const check = (provider: string, name = 'm', key = tenant.adminKey) =>
    api.call('POST', '/v1/model-checks', { key, body: { provider, name } });
  const audited = async (): Promise<JsonObject[]> =>
    (await api.call('GET', '/v1/audit-events?action=model.check', { key: tenant.adminKey })).body.data;

  it('asks for a call, and answers with usage and cost', async () => {
    models.respondWith(CALLS);
    const answer = await check('plain');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      provider: 'plain',
      name: 'm',
      ok: true,
      latency_ms: expect.any(Number),
      tools: true,
      structured_output: null,
      usage: {
        input_tokens: 1_000,
        output_tokens: 40,
        cache_read_tokens: 600,
        cache_write_tokens: 100,
        reasoning_tokens: 0,
      },
      cost: { amount: '0.000655', currency: 'USD' },
      error: null,
    });
    expect(models.requests).toHaveLength(1);
    expect(models.requests[0]).toMatchObject({ model: 'm', tools: ['echo'] });
    expect(models.requests[0]?.body).not.toHaveProperty('text');
    expect(await audited()).toMatchObject([
      { target: 'plain/m', detail: { ok: true, cost: { amount: '0.000655', currency: 'USD' } } },
    ]);
  });

  it.each([
    ['{"word": "ready"}', true],
    ['ready', false],
  ])('asks once more for structured output where the table says so: %s', async (text, structured_output) => {
    models.respondWith(CALLS, { text, usage: USAGE });
    const { body } = await check('shaped');
    expect(body).toMatchObject({ ok: true, tools: true, structured_output, cost: { amount: '0.00131' } });
    expect(models.requests).toHaveLength(2);
    expect(models.requests[1]?.body).toMatchObject({ text: { format: { type: 'json_schema', strict: true } } });
    expect(models.requests[1]?.tools).toEqual([]);
  });

  it.each<[string, ScriptedTurn, string]>([
    ['that is busy', { status: 429 }, 'provider_rate_limited: chat responded with HTTP status 429'],
    ['that rejects the key', { status: 401, raw: `{"error": {"message": "Not ${KEY}"}}` }, 'provider_error: chat resp'],
    ['that answers nothing', { text: ' ' }, 'provider_error: chat sent an empty answer.'],
    ['that refuses', { text: 'No.', finish: 'content_filter' }, 'provider_error: chat refused to answer.'],
  ])('answers with the failure of a model %s, and asks it once', async (_, turn, expected) => {
    models.respondWith(turn);
    const { status, body } = await check('chat');
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: false, tools: false, structured_output: null });
    expect(`${body.error.code}: ${body.error.message}`).toContain(expected);
    expect(JSON.stringify(body)).not.toContain(KEY);
    expect(models.requests).toHaveLength(1);
    expect(await audited()).toMatchObject([{ detail: { ok: false } }]);
  });

  it('fails if the model rejects the second request', async () => {
    models.respondWith(CALLS, { status: 400 });
    const { body } = await check('shaped');
    expect(body).toMatchObject({ ok: false, tools: true, structured_output: false, error: { code: 'provider_error' } });
  });

  it('answers without a cost if the model has no price', async () => {
    models.respondWith({ text: 'ready' });
    expect((await check('plain', 'other')).body).toMatchObject({ ok: true, tools: false, cost: null });
  });

  it('rejects an unknown profile', async () => {
    expect(await check('nobody')).toMatchObject({
      status: 422,
      body: { code: 'unknown_reference', errors: [{ pointer: '/provider' }] },
    });
    expect(await audited()).toEqual([]);
  });

  it('sends nothing while the workspace is stopped', async () => {
    await api.call('POST', '/v1/workspace/emergency-stop', { key: tenant.adminKey, body: {} });
    expect(await check('plain')).toMatchObject({ status: 409, body: { code: 'workspace_stopped' } });
    expect(models.requests).toEqual([]);
  });

  it('begins no second request after a stop', async () => {
    models.respondWith({ ...CALLS, hang: true });
    const answer = check('shaped');
    await models.asked(1);
    await api.call('POST', '/v1/workspace/emergency-stop', { key: tenant.adminKey, body: {} });
    models.release();
    expect((await answer).body).toMatchObject({ ok: true, tools: true, structured_output: null });
    expect(models.requests).toHaveLength(1);
  });

  it('is limited to ten a minute for each key', async () => {
    for (let n = 0; n < 10; n++) expect((await check('plain')).status).toBe(200);
    const refused = await check('plain');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(models.requests).toHaveLength(10);
    expect((await check('plain', 'm', await tenant.key('builder'))).status).toBe(200);
  });
});
