import { GREETER } from '../fixtures/definitions.js';
import type { HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };

const CACHED = { cache_read_tokens: 200, cache_write_tokens: 50, reasoning_tokens: 2 };
const NOT_CACHED = { cache_read: 0, cache_write: 0, reasoning: 0 };

describe('usage', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let agents: string[];

  const usage = async (query = '', key = tenant.adminKey) => api.call('GET', `/v1/usage${query}`, { key });

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    const other = await api.newTenant();
    const key = tenant.adminKey;
    agents = [];
    for (const name of ['one', 'two']) {
      const body = GREETER.replace(/^name: .*$/m, `name: ${name}`);
      const { body: agent } = await api.call('POST', '/v1/agents', { key, body, headers: YAML });
      agents.push(agent.id);
    }
    const { body: foreign } = await api.call('POST', '/v1/agents', {
      key: other.adminKey,
      body: GREETER,
      headers: YAML,
    });
    const start = async (agent: string, as = key): Promise<string> =>
      (await api.call('POST', `/v1/agents/${agent}/runs`, { key: as, body: { input: { name: 'Ada' } } })).body.id;
    const runs = [await start(agents[0] ?? ''), await start(agents[0] ?? ''), await start(agents[1] ?? '')];
    await start(foreign.id, other.adminKey);
    await api.execute(`update runs set cost_micros = 1500000 where id = '${runs[0]}'`);
    await api.execute(`update runs set created_at = created_at - interval '2 days' where id = '${runs[2]}'`);
    for (const [n, model] of [[2, 'large'], [3, 'large'], [4, 'small']] as const) {
      const detail = { provider: 'acme', model, usage: { input_tokens: 100 * n, output_tokens: n, ...(n === 3 && CACHED) } };
      await api.execute(`insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch, detail, cost_micros, ended_at)
        values ('${runs[0]}', ${n}, '${tenant.workspaceId}', 'turn[${n}]', 'model_call', 'succeeded', 1, gen_random_uuid(), 1,
          '${JSON.stringify(detail)}', 250000, now())`);
    } // prettier-ignore
  });

  afterAll(() => api.close());

  it('is summed by agent, of the own workspace alone', async () => {
    const { status, body } = await usage('?group_by=agent&since=2020-12-01T00:00:00Z&until=2021-01-01T00:00:00Z');
    expect([status, body.data]).toEqual([200, []]);
    const { body: all } = await usage('?group_by=agent');
    const nothing = { ...NOT_CACHED, input: 0, output: 0 };
    expect(all.group_by).toBe('agent');
    expect(all.data).toEqual([
      {
        agent: agents[0],
        agent_name: 'one',
        runs: 2,
        tokens: { input: 900, output: 9, cache_read: 200, cache_write: 50, reasoning: 2 },
        cost: { amount: '1.50', currency: 'EUR' },
      },
      { agent: agents[1], agent_name: 'two', runs: 1, tokens: nothing, cost: { amount: '0.00', currency: 'EUR' } },
    ]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const { body: latest } = await usage(`?group_by=agent&since=${yesterday}`);
    expect(latest.data).toMatchObject([{ agent: agents[0], runs: 2 }]);
  });

  it('is summed by model', async () => {
    const { body } = await usage('?group_by=model');
    expect(body.data).toEqual([
      {
        model: 'acme/large',
        runs: 1,
        tokens: { input: 500, output: 5, cache_read: 200, cache_write: 50, reasoning: 2 },
        cost: { amount: '0.50', currency: 'EUR' },
      },
      {
        model: 'acme/small',
        runs: 1,
        tokens: { ...NOT_CACHED, input: 400, output: 4 },
        cost: { amount: '0.25', currency: 'EUR' },
      },
    ]);
  });

  it('is summed by day, which is the default, and for one agent', async () => {
    const { body } = await usage(`?agent=${agents[0]}`);
    const today = new Date().toISOString().slice(0, 10);
    expect(body).toMatchObject({ group_by: 'day', data: [{ day: today, runs: 2 }] });
    expect((await usage(`?agent=agt_01kahzvk3te9d8q6f0f1v3m2sx`)).body.data).toEqual([]);
  });

  it.each([
    ['an unknown group', '?group_by=team'],
    ['a time that is none', '?since=yesterday'],
    ['more than a year', '?since=2020-01-01T00:00:00Z&until=2022-01-01T00:00:00Z'],
    ['an end before its beginning', '?since=2022-01-01T00:00:00Z&until=2020-01-01T00:00:00Z'],
    ['an unknown parameter', '?groupby=day'],
  ])('of %s is refused', async (_what, query) => {
    const { status, body } = await usage(query);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});
