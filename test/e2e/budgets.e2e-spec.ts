import type { JsonObject } from '@app/kernel';
import { aModelAgent } from '../support/model-agents.js';
import { ModelScene } from '../support/model-scene.js';

const EUR = { per_run: '0.01', currency: 'EUR' };

/** A run whose budget cannot be enforced must fail before the model costs anything. */
describe('a budget that cannot count what a model costs', () => {
  let stage: ModelScene;

  beforeAll(async () => {
    stage = await ModelScene.start();
  });
  afterEach(() => stage.reset());
  afterAll(() => stage.stop());

  const agent = (more: JsonObject): JsonObject => aModelAgent(stage.scene.ledger.url, more);

  /** Stores an agent version as if it was created when the installation had a different price list. */
  const older = async (definition: JsonObject, budget: JsonObject): Promise<string> => {
    const id = await stage.client.createAgent(definition);
    await stage.scene.stack.query(
      `update agent_versions set definition = jsonb_set(definition, '{limits}', $2::jsonb) where agent_id = $1`,
      [id, JSON.stringify({ budget })],
    );
    return id;
  };

  it.each([
    ['in another currency', { model: 'dollars/priced' }, '/model', 'USD'],
    ['without a price', { model: 'fake/other' }, '/model', 'no price'],
    [
      'of a fallback',
      { model: { provider: 'fake', name: 'priced', fallback: ['dollars/priced'] } },
      '/model/fallback/0',
      'USD',
    ],
  ])('is refused at creation and by the validation: a model %s', async (_what, more, pointer, says) => {
    for (const budget of [EUR, { per_day: '5.00', currency: 'EUR' }]) {
      const definition = agent({ ...more, limits: { budget } });
      const created = await stage.client.call<JsonObject>('POST', '/v1/agents', definition);
      const errors = [{ pointer, detail: expect.stringContaining(says), suggestion: expect.any(String) }];
      expect([created.status, created.body]).toEqual([422, expect.objectContaining({ code: 'definition_invalid' })]);
      expect(created.body.errors).toMatchObject(errors);
      const checked = await stage.client.call<JsonObject>('POST', '/v1/definitions/validate', definition);
      expect(checked.body).toMatchObject({ valid: false, errors });
    }
    const known = agent({ limits: { budget: EUR } });
    expect((await stage.client.call('POST', '/v1/agents', known)).status).toBe(201);
    const id = await stage.client.createAgent(agent({}));
    const version = await stage.client.call(
      'POST',
      `/v1/agents/${id}/versions`,
      agent({ ...more, limits: { budget: EUR } }),
    );
    expect(version.status).toBe(422);
  });

  it.each(['production', 'test'])('ends a run of mode %s before the model is asked, and says why', async (mode) => {
    for (const budget of [EUR, { per_day: '5.00', currency: 'EUR' }]) {
      const id = await older(agent({ model: 'dollars/priced' }), budget);
      const run = await stage.client.expect<{ id: string }>('POST', `/v1/agents/${id}/runs`, { input: {}, mode });
      expect(await stage.ended(run.id)).toMatchObject({
        status: 'failed',
        error: { code: 'budget_exceeded', message: expect.stringMatching(/in EUR, but the price .* in USD/) },
      });
    }
    expect(stage.models.requests).toHaveLength(0);
  });

  it('ends a run whose fallback cannot be counted where the fallback would be asked', async () => {
    stage.spare.always({ status: 401 });
    const model = { provider: 'spare', name: 'priced', fallback: ['dollars/priced'] };
    const id = await older(agent({ model }), EUR);
    const { id: run } = await stage.client.startRun(id);
    expect(await stage.ended(run)).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(stage.models.requests).toHaveLength(0);
  });

  it('covers the runs that its run calls, also when these have no budget', async () => {
    await stage.client.createAgent(agent({ name: 'helper', model: 'dollars/priced' }));
    const id = await stage.start({
      name: 'caller',
      tools: [{ name: 'helper', type: 'agent', agent: 'helper' }],
      limits: { budget: EUR },
      steps: [{ id: 'ask', tool: 'helper.run', with: {} }],
    });
    expect(await stage.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'tool_error', message: expect.stringContaining('budget_exceeded') },
    });
    expect(stage.models.requests).toHaveLength(0);
  });

  it('ends a run whose provider does not say how many tokens it used', async () => {
    stage.models.always({ text: 'done', uncounted: true });
    const id = await stage.start(agent({ limits: { budget: EUR } }));
    expect(await stage.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exceeded', message: expect.stringContaining('did not report') },
    });
    expect(stage.models.requests).toHaveLength(1);
    const free = await stage.start(agent({}));
    expect(await stage.ended(free)).toMatchObject({ status: 'succeeded', cost: { partial: true } });
  });

  it('is not hidden by the usage report: what it does not know is partial', async () => {
    stage.models.always({ text: 'done' });
    await stage.ended(await stage.start(agent({ name: 'unpriced', model: 'fake/other' })));
    await stage.ended(await stage.start(agent({ name: 'counted' })));
    const { data: models } = await stage.client.expect<{ data: JsonObject[] }>('GET', '/v1/usage?group_by=model');
    expect(models.find(({ model }) => model === 'fake/other')).toMatchObject({ cost: { partial: true } });
    const { data: agents } = await stage.client.expect<{ data: JsonObject[] }>('GET', '/v1/usage?group_by=agent');
    expect(agents.some(({ cost }) => (cost as JsonObject).partial === true)).toBe(true);
    expect(agents.some(({ cost }) => (cost as JsonObject).partial === undefined)).toBe(true);
  });

  it('is returned with its agent, with what the agent has spent of it today', async () => {
    stage.models.always({ text: 'done' });
    const limits = { budget: { per_day: '2', currency: 'EUR' } };
    const definition = agent({ name: 'with-budget', limits });
    const id = await stage.client.createAgent(definition);
    const fresh = await stage.client.call<JsonObject>('GET', `/v1/agents/${id}`);
    const midnight = new Date(new Date().toISOString().slice(0, 10)).getTime() + 86_400_000;
    const budget = {
      per_day: '2.00',
      currency: 'EUR',
      spent_today: '0.00',
      reserved: '0.00',
      resets_at: new Date(midnight).toISOString(),
    };
    expect(fresh.body.budget).toEqual(budget);
    const { id: run } = await stage.client.startRun(id);
    const { cost } = await stage.ended(run);
    expect(cost.amount).not.toBe('0.00');
    const spent = await stage.client.call<JsonObject>('GET', `/v1/agents/${id}`);
    expect(spent.body.budget).toEqual({ ...budget, spent_today: cost.amount });
    // A change of the agent that its reader has seen is not in conflict with costs.
    expect(spent.headers.get('etag')).toBe(fresh.headers.get('etag'));
    const { data } = await stage.client.expect<{ data: JsonObject[] }>('GET', '/v1/agents?name=with-budget');
    expect(data).toEqual([spent.body]);
    const { id: free } = await stage.client.expect<{ id: string }>('POST', '/v1/agents', agent({ name: 'free' }));
    expect(await stage.client.expect<JsonObject>('GET', `/v1/agents/${free}`)).toMatchObject({ budget: null });
  });

  it('is shared by the runs in progress: what one reserves, another may not spend, and the error says so', async () => {
    const limits = { budget: { per_day: '0.00001', currency: 'EUR' } };
    const id = await stage.client.createAgent(agent({ name: 'reserving', limits }));
    stage.models.always({ text: 'done', hang: true });
    const { id: first } = await stage.client.startRun(id);
    await stage.models.asked(1);
    const shown = await stage.client.expect<{ budget: { reserved: string } }>('GET', `/v1/agents/${id}`);
    expect(shown.budget).toMatchObject({ spent_today: '0.00', reserved: expect.not.stringMatching(/^0\.00$/) });
    const { id: second } = await stage.client.startRun(id);
    const { reserved } = shown.budget;
    expect(await stage.ended(second)).toMatchObject({
      status: 'failed',
      error: { code: 'budget_exceeded', message: expect.stringContaining(`0.00 spent and ${reserved} reserved by`) },
    });
    stage.models.release();
    await stage.ended(first);
    const after = await stage.client.expect<{ budget: JsonObject }>('GET', `/v1/agents/${id}`);
    expect(after.budget).toMatchObject({ reserved: '0.00' });
  });
});
