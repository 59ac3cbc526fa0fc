import { RunStatisticsWorker } from '@app/runs';
import { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { GREETER } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import { StatisticsByMode1796002600000 } from '../../libs/runs/src/migrations/1796002600000-statistics-by-mode.js';
import { SUMS } from '../../libs/runs/src/statistics/run-statistics.service.js';
import type { PlanNode } from '../support/asked-plans.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const DAY = '2026-01-31';

interface RunStatisticsEntry {
  start: string;
  runs: number;
  failed: number;
}

interface Ended {
  status?: string;
  at?: string;
  millis?: number;
  micros?: number;
  currency?: string;
  mode?: 'production' | 'test' | null;
  count?: number;
}

describe('run statistics', () => {
  let database: TestDatabase;
  let postgres: Pool;
  let api: TestApi;
  let tenant: TestTenant;
  let agent: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new Pool({ connectionString: database.url });
    api = await startApi({ databaseUrl: database.url });
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
    const headers = { 'Content-Type': 'application/yaml' };
    agent = (await api.call('POST', '/v1/agents', { key: tenant.adminKey, headers, body: GREETER })).body.id;
  });
  afterAll(async () => {
    await postgres.end();
    await api.close();
    await database.drop();
  });

  const call = (method: string, path: string, body?: object) => api.call(method, path, { key: tenant.adminKey, body });
  const read = async (query: string) => {
    const { status, body } = await call(
      'GET',
      `/v1/statistics/runs?since=${DAY}T00:00:00Z&until=2026-02-02T00:00:00Z&${query}`,
    );
    expect(status).toBe(200);
    return body.data;
  };
  const count = () => api.app.get(RunStatisticsWorker, { strict: false }).countEndedRuns();

  async function end({
    status = 'succeeded',
    at = `${DAY}T10:30:00Z`,
    millis = 100,
    micros = 0,
    currency = 'EUR',
    mode = 'production',
    count: runs = 1,
  }: Ended): Promise<void> {
    await postgres.query(
      `insert into ended_runs (workspace_id, agent_id, status, ended_at, active_ms, cost_micros, currency, mode)
       select $1, $2, $3, $4, $5, $6, $7, $9 from generate_series(1, $8)`,
      [tenant.workspaceId, agent, status, at, millis, micros, currency, runs, mode],
    );
  }

  it('count ended runs by the UTC bucket of their end, without empty groups', async () => {
    await end({ at: '2026-01-31T23:59:59.999Z', micros: 1_500_000, millis: 40 });
    await end({ at: '2026-02-01T00:00:00Z', micros: 250_000 });
    await end({ at: '2026-01-31T23:00:00Z', micros: 10, status: 'failed' });
    await end({ at: '2026-01-31T23:10:00Z', micros: 7, currency: 'USD' });
    await count();
    const cost = (amount: string, currency = 'EUR') => ({ amount, currency });
    const of = (millis: number) => ({ p50: millis, p95: millis });
    expect(await read('')).toEqual([
      {
        start: `${DAY}T00:00:00.000Z`,
        status: 'failed',
        runs: 1,
        failed: 1,
        duration_ms: of(101),
        cost: cost('0.00001'),
      },
      {
        start: `${DAY}T00:00:00.000Z`,
        status: 'succeeded',
        runs: 1,
        failed: 0,
        duration_ms: of(40),
        cost: cost('1.50'),
      },
      {
        start: `${DAY}T00:00:00.000Z`,
        status: 'succeeded',
        runs: 1,
        failed: 0,
        duration_ms: of(101),
        cost: cost('0.000007', 'USD'),
      },
      {
        start: '2026-02-01T00:00:00.000Z',
        status: 'succeeded',
        runs: 1,
        failed: 0,
        duration_ms: of(101),
        cost: cost('0.25'),
      },
    ]);
    const byAgent = await read('bucket=1h&group_by=agent');
    expect(byAgent.map(({ start, runs, failed }: RunStatisticsEntry) => [start, runs, failed])).toEqual([
      [`${DAY}T23:00:00.000Z`, 2, 1],
      [`${DAY}T23:00:00.000Z`, 1, 0],
      ['2026-02-01T00:00:00.000Z', 1, 0],
    ]);
    expect(byAgent[0]).toMatchObject({ agent, agent_name: 'greeter', cost: cost('1.50001') });
  });

  it('count the runs of one mode, and those that ended without one only in the sums of all', async () => {
    await end({ status: 'failed', count: 2 });
    await end({ status: 'failed', mode: 'test', count: 3 });
    await end({ mode: null });
    await count();
    const sums = async (query: string) =>
      (await read(query)).map(({ runs, failed }: RunStatisticsEntry) => [runs, failed]);
    expect(await sums('')).toEqual([
      [5, 5],
      [1, 0],
    ]);
    expect(await sums('mode=production')).toEqual([[2, 2]]);
    expect(await sums('mode=test&bucket=1h')).toEqual([[3, 3]]);
    expect(await sums('group_by=agent')).toEqual([[6, 5]]);
    const [ofTests] = await read('group_by=agent&mode=test');
    expect(ofTests).toMatchObject({ agent, agent_name: 'greeter', runs: 3, failed: 3 });
  });

  it('add durations of different batches, and tell half and 95 % of them', async () => {
    for (let millis = 1; millis <= 100; millis++) await end({ millis: millis * 1_000 });
    await count();
    await end({ millis: 100_000, count: 100 });
    await count();
    const [{ runs, duration_ms }] = await read('');
    expect(runs).toBe(200);
    for (const [shown, exact] of [
      [duration_ms.p50, 100_000],
      [duration_ms.p95, 100_000],
    ])
      // prettier-ignore
      expect(Math.abs(shown - exact) / exact).toBeLessThan(0.01);
  });

  it('count each run once, whichever worker counts and whatever is rolled back', async () => {
    await end({ count: 12_000 });
    const lost = await postgres.connect();
    await lost.query('begin; select run_machine.roll_up_ended_runs(5000); rollback');
    lost.release();
    const late = await postgres.connect();
    await late.query('begin');
    await late.query(
      `insert into ended_runs (workspace_id, agent_id, status, ended_at, active_ms, cost_micros, currency)
       values ($1, $2, 'succeeded', $3, 1, 0, 'EUR')`,
      [tenant.workspaceId, agent, `${DAY}T10:00:00Z`],
    );
    await Promise.all([count(), count(), count()]);
    while ((await count()) === 'again');
    expect((await read(''))[0].runs).toBe(12_000);
    await late.query('commit');
    late.release();
    await count();
    expect((await read(''))[0].runs).toBe(12_001);
  });

  it('count a run in the commit that ends it', async () => {
    const { body: run } = await call('POST', `/v1/agents/${agent}/runs`, { input: { name: 'Ada' } });
    await call('POST', `/v1/runs/${run.id}/cancel`);
    await call('POST', `/v1/runs/${run.id}/cancel`);
    await count();
    const { body } = await call('GET', '/v1/statistics/runs');
    expect(body.data).toEqual([
      expect.objectContaining({ status: 'cancelled', runs: 1, duration_ms: { p50: 0, p95: 0 } }),
    ]);
    expect((await call('GET', '/v1/statistics/runs?mode=production')).body).toEqual(body);
    expect((await call('GET', '/v1/statistics/runs?mode=test')).body).toEqual({ data: [] });
    const stranger = await api.newTenant();
    for (const query of ['', '?mode=production'])
      expect((await api.call('GET', `/v1/statistics/runs${query}`, { key: stranger.adminKey })).body.data).toEqual([]);
  });

  it('by mode also count the runs that ended before there were sums by mode', async () => {
    for (const mode of ['production', 'test', 'test']) {
      const { body: run } = await call('POST', `/v1/agents/${agent}/runs`, { input: { name: 'Ada' }, mode });
      await call('POST', `/v1/runs/${run.id}/cancel`);
    }
    await postgres.query('update ended_runs set mode = null');
    await count();
    const runner: Pick<QueryRunner, 'query'> = { query: (statement: string) => postgres.query(statement) as never };
    const migration = new StatisticsByMode1796002600000();
    await migration.up(runner as QueryRunner);
    await migration.up(runner as QueryRunner);
    for (const [query, runs] of [
      ['mode=production', 1],
      ['mode=test&bucket=1h&group_by=agent', 2],
    ]) {
      const { body } = await call('GET', `/v1/statistics/runs?since=${new Date().toISOString()}&${query}`);
      expect(body.data).toEqual([expect.objectContaining({ runs, failed: 0, duration_ms: { p50: 0, p95: 0 } })]);
    }
  });

  it('refuse a period that is too long or ends before it begins', async () => {
    for (const query of [
      'since=2025-01-01T00:00:00Z&until=2026-02-01T00:00:00Z',
      'bucket=1h&since=2025-12-01T00:00:00Z&until=2026-02-01T00:00:00Z',
      'since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z',
      'bucket=1w',
      'group_by=day',
      'mode=draft',
    ]) {
      // prettier-ignore
      expect((await call('GET', `/v1/statistics/runs?${query}`)).body.code).toBe('invalid_request');
    }
  });

  it('cost the same with many runs as with few', async () => {
    const rowsOf = (node: PlanNode): number =>
      node['Actual Rows'] * node['Actual Loops'] + (node.Plans ?? []).map(rowsOf).reduce((a, b) => a + b, 0);
    const values = [tenant.workspaceId, '1d', 'status', `${DAY}T00:00:00Z`, '2026-02-02T00:00:00Z', null, 'status'];
    const cost = async () => {
      // An index scan also counts the old versions of updated rows.
      await postgres.query('vacuum run_statistics');
      const explain = `explain (analyze, format json) ${SUMS.text}`;
      const { rows } = await postgres.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, values);
      return rowsOf(rows[0]!['QUERY PLAN'][0].Plan);
    };
    await end({ count: 10 });
    await count();
    const few = await cost();
    await end({ count: 20_000 });
    while ((await count()) === 'again');
    expect((await read(''))[0].runs).toBe(20_010);
    expect(await cost()).toEqual(few);
  });
});
