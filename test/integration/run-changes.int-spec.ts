import type { Clock } from '@app/kernel';
import { newId, systemClock } from '@app/kernel';
import { Pool } from 'pg';
import { CHANGES } from '../../libs/runs/src/changes/run-changes.service.js';
import { GREETER } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';
import type { PlanNode } from '../support/asked-plans.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const HOUR_MILLIS = 3_600_000;

interface ChangesAnswer {
  runs_changed: { id: string; status: string }[];
  agents_changed: { id: string; latest_version: number }[];
  next: string;
}

describe('changes of a workspace', () => {
  let database: TestDatabase;
  let postgres: Pool;
  let api: TestApi;
  let tenant: TestTenant;
  let agent: string;
  let laterMillis = 0;
  const clock: Clock = Object.assign(Object.create(systemClock) as Clock, {
    now: () => new Date(systemClock.now().getTime() + laterMillis),
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new Pool({ connectionString: database.url });
    api = await startApi({ databaseUrl: database.url, clock });
  });
  beforeEach(async () => {
    laterMillis = 0;
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
  const changes = (since: string) => call('GET', `/v1/changes?since=${since}`);
  const begin = async (): Promise<string> => (await call('GET', '/v1/changes')).body.next;
  const start = async (): Promise<string> =>
    (await call('POST', `/v1/agents/${agent}/runs`, { input: { name: 'Ada' } })).body.id;
  /**
   * Reads all changes after the cursor `since`, page by page. Returns these changes and the cursor after the last one.
   */
  async function drain(since: string): Promise<ChangesAnswer> {
    const runs: ChangesAnswer['runs_changed'] = [];
    const agents: ChangesAnswer['agents_changed'] = [];
    for (let next = since; ;) {
      const { status, body } = await changes(next);
      if (status === 204) return { runs_changed: runs, agents_changed: agents, next };
      expect(status).toBe(200);
      runs.push(...body.runs_changed);
      agents.push(...body.agents_changed);
      next = body.next;
    }
  }
  const insert = (count: number): [string, unknown[]] => [
    `insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, wake_at)
     select id, $1, $2, 1, 'production', '{"type": "api"}', '{}', 'EUR', 'infinity' from unnest($3::text[]) id`,
    [tenant.workspaceId, agent, Array.from({ length: count }, () => newId('run'))],
  ];

  it('begin with the present state, and are empty until something changes', async () => {
    await start();
    const { body } = await call('GET', '/v1/changes');
    expect(body).toEqual({
      workspace: { status: 'active', epoch: 1 },
      approvals_open: 0,
      approvals_mine: 0,
      approvals_mine_test: 0,
      runs_changed: [],
      agents_changed: [],
      next: expect.any(String),
    });
    expect(await changes(body.next)).toMatchObject({ status: 204, body: '' });
    const id = await start();
    const second = await changes(body.next);
    expect(second.body.runs_changed).toEqual([{ id, agent, status: 'queued' }]);
    expect((await changes(second.body.next)).status).toBe(204);
    await call('POST', `/v1/runs/${id}/cancel`);
    expect((await changes(second.body.next)).body.runs_changed).toEqual([{ id, agent, status: 'cancelled' }]);
    expect((await changes(body.next)).body.runs_changed).toEqual([{ id, agent, status: 'cancelled' }]);
  });

  it('show a stop and a resume', async () => {
    const since = await begin();
    await call('POST', '/v1/workspace/emergency-stop', {});
    const { body } = await changes(since);
    expect(body).toMatchObject({ workspace: { status: 'stopped', epoch: 2 }, runs_changed: [] });
    expect((await changes(body.next)).status).toBe(204);
  });

  it('list the agents that change, but no drafts, and none to a key that reads no agents', async () => {
    const scopes = ['runs:read', 'approvals:read'];
    const { member } = (await call('GET', '/v1/me')).body;
    const wanted = { name: 'feed', kind: 'live', role: 'viewer', member, scopes };
    const { key } = (await call('POST', '/v1/api-keys', wanted)).body;
    const since = await begin();
    const headers = { 'Content-Type': 'application/yaml' };
    const draft = { definition: GREETER, input: { name: 'Ada' } };
    expect((await call('POST', '/v1/definitions/runs', draft)).status).toBe(202);
    const yaml = (path: string, body: string) => api.call('POST', path, { key: tenant.adminKey, headers, body });
    const other = (await yaml('/v1/agents', GREETER.replace(/^name: .*$/m, 'name: other'))).body.id;
    expect((await drain(since)).agents_changed).toEqual([
      { id: other, status: 'active', latest_version: 1, production_version: 1 },
    ]);
    const { next } = await drain(since);
    expect((await yaml(`/v1/agents/${agent}/versions`, GREETER.replace('Hello', 'Hi'))).body).toMatchObject({
      version: 2,
    });
    await call('POST', `/v1/agents/${other}/pause`);
    expect((await drain(next)).agents_changed).toEqual([
      { id: agent, status: 'active', latest_version: 2, production_version: 1 },
      { id: other, status: 'paused', latest_version: 1, production_version: 1 },
    ]);
    expect((await api.call('GET', `/v1/changes?since=${next}`, { key })).status).toBe(204);
  });

  it('come in pages of 100, and none is lost that commits late', async () => {
    const since = await begin();
    const late = await postgres.connect();
    await late.query('begin');
    await late.query(...insert(1));
    await postgres.query(...insert(150));
    const first = (await changes(since)).body as ChangesAnswer;
    expect(first.runs_changed).toHaveLength(100);
    await late.query(...insert(2));
    await late.query('commit');
    late.release();
    await postgres.query(...insert(1));
    const rest = await drain(first.next);
    const ids = new Set([...first.runs_changed, ...rest.runs_changed].map(({ id }) => id));
    expect(ids.size).toBe(154);
    expect((await changes(rest.next)).status).toBe(204);

    const slow = await postgres.connect();
    await slow.query('begin');
    await slow.query(...insert(3));
    await postgres.query(...insert(1));
    const seen = await drain(rest.next);
    expect(seen.runs_changed).toHaveLength(1);
    await slow.query('commit');
    slow.release();
    expect((await drain(seen.next)).runs_changed).toHaveLength(3);
  });

  it('are of one workspace', async () => {
    const since = await begin();
    await start();
    const stranger = await api.newTenant();
    const other = (await api.call('GET', '/v1/changes', { key: stranger.adminKey })).body.next;
    await start();
    expect((await api.call('GET', `/v1/changes?since=${other}`, { key: stranger.adminKey })).status).toBe(204);
    const crossed = await api.call('GET', `/v1/changes?since=${since}`, { key: stranger.adminKey });
    expect(crossed).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    for (const wrong of ['', 'x', `${since}x`])
      expect([wrong, (await changes(wrong)).body.code]).toEqual([wrong, 'invalid_cursor']);
    laterMillis = 25 * HOUR_MILLIS;
    expect((await changes(since)).body.code).toBe('cursor_expired');
  });

  it('cost the same with many runs as with few', async () => {
    const cost = async (): Promise<number> => {
      const { rows: at } = await postgres.query<{ below: string }>(
        'select pg_snapshot_xmax(pg_current_snapshot())::text as below',
      );
      await postgres.query(...insert(5));
      const values = [
        tenant.workspaceId,
        'ada@example.com',
        [],
        true,
        at[0]!.below,
        [],
        '0',
        '',
        null,
        [],
        101,
        false,
        null,
        false,
        true,
      ];
      const explain = `explain (analyze, format json) ${CHANGES.text}`;
      const { rows } = await postgres.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain, values);
      return rowsOf(rows[0]!['QUERY PLAN'][0].Plan);
    };
    const rowsOf = (node: PlanNode): number =>
      (node['Relation Name'] === 'runs'
        ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
        : 0) + (node.Plans ?? []).map(rowsOf).reduce((a, b) => a + b, 0);
    await postgres.query(...insert(1_000));
    await postgres.query('analyze runs');
    const few = await cost();
    await postgres.query(...insert(20_000));
    await postgres.query('analyze runs');
    expect(few).toBeLessThanOrEqual(10);
    expect(await cost()).toBe(few);
  });
});
