import type { ApiAnswer, CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const AGENT = {
  name: 'judged',
  evaluation: { cases: [{ name: 'a', input: {}, assert: [{ type: 'status', value: 'succeeded' }] }] },
  steps: [{ id: 'a', output: 1 }],
};

describe('asking for an evaluation', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let agent: string;

  beforeAll(async () => {
    api = await sharedApi();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
    agent = (await api.call('POST', '/v1/agents', { key: tenant.adminKey, body: AGENT })).body.id;
  });

  afterAll(() => api.close());

  const evaluate = (options: CallOptions = {}): Promise<ApiAnswer> =>
    api.call('POST', `/v1/agents/${agent}/versions/1/evaluate`, { key: tenant.adminKey, ...options });

  const list = (query = ''): Promise<ApiAnswer> =>
    api.call('GET', `/v1/agents/${agent}/versions/1/evaluations${query}`, { key: tenant.adminKey });

  it('makes one evaluation for each Idempotency-Key, also when that one is over', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await evaluate({ headers });
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([202, null]);
    await api.call('POST', `/v1/evaluations/${first.body.id}/cancel`, { key: tenant.adminKey });
    const again = await evaluate({ headers });
    expect([again.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
      202,
      first.body.id,
      'true',
    ]);
    const other = await evaluate({ headers: { 'Idempotency-Key': 'twice' } });
    expect([other.status, other.body.id === first.body.id]).toEqual([202, false]);
  });

  it('makes one for many that ask at the same time with one key', async () => {
    const headers = { 'Idempotency-Key': 'together' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => evaluate({ headers })));
    const made = answers.filter(({ status }) => status < 300).map(({ body }) => body.id as string);
    expect(new Set(made).size).toBe(1);
    for (const { status, body } of answers) expect(status < 300 || body.code === 'idempotency_in_progress').toBe(true);
    expect((await list()).body.data).toHaveLength(1);
  });

  it('lists each evaluation as it is by itself, also while it is under way', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.unshift((await evaluate()).body.id);
      if (n < 2) await api.call('POST', `/v1/evaluations/${ids[0]}/cancel`, { key: tenant.adminKey });
    }
    const alone = await Promise.all(
      ids.map((id) => api.call('GET', `/v1/evaluations/${id}`, { key: tenant.adminKey })),
    );
    const { body } = await list();
    expect(body).toEqual({ data: alone.map((answer) => answer.body) });
    expect(body.data[0].results).toMatchObject([{ case: 'a', kind: 'case', trials: [{ trial: 1 }] }]);
  });

  it('ends a page of the list where its evaluations have very many trials', async () => {
    const first = (await evaluate()).body.id;
    await api.call('POST', `/v1/evaluations/${first}/cancel`, { key: tenant.adminKey });
    const second = (await evaluate()).body.id;
    await api.execute(
      `insert into evaluation_trials (evaluation_id, workspace_id, n, case_n, case_name, trial, baseline)
       select '${second}', '${tenant.workspaceId}', n, n, 'case ' || n, 1, false from generate_series(2, 10000) n`,
    );
    const page = await list();
    expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([second]);
    expect(page.body.data[0].results).toHaveLength(10_000);
    const rest = await list(`?cursor=${page.body.next_cursor}`);
    expect([rest.body.data.map(({ id }: { id: string }) => id), rest.body.next_cursor]).toEqual([[first], undefined]);
  });

  it('lists an evaluation whole that alone has more trials than a page reads', async () => {
    const first = (await evaluate()).body.id;
    await api.call('POST', `/v1/evaluations/${first}/cancel`, { key: tenant.adminKey });
    const second = (await evaluate()).body.id;
    await api.execute(
      `insert into evaluation_trials (evaluation_id, workspace_id, n, case_n, case_name, trial, baseline)
       select '${second}', '${tenant.workspaceId}', n, n, 'case ' || n, 1, false from generate_series(2, 10002) n`,
    );
    const page = await list();
    expect(page.body.data.map(({ id }: { id: string }) => id)).toEqual([second]);
    expect(page.body.data[0].results).toHaveLength(10_002);
    const rest = await list(`?cursor=${page.body.next_cursor}`);
    expect([rest.body.data.map(({ id }: { id: string }) => id), rest.body.next_cursor]).toEqual([[first], undefined]);
    const oldestFirst = await list('?order=asc');
    expect(oldestFirst.body.data.map(({ id }: { id: string }) => id)).toEqual([first]);
    const last = await list(`?order=asc&cursor=${oldestFirst.body.next_cursor}`);
    expect([last.body.data[0].results.length, last.body.next_cursor]).toEqual([10_002, undefined]);
  });

  it('is open to test keys, since its runs are of mode `test`', async () => {
    const { status } = await evaluate({ key: await tenant.key('operator', 'test') });
    const runs = await api.call('GET', '/v1/runs?trigger_type=evaluation', { key: tenant.adminKey });
    expect([status, runs.body.data.map(({ mode }: { mode: string }) => mode)]).toEqual([202, ['test']]);
  });
});
