import type { Role } from '@app/workspace';
import { Pool } from 'pg';
import { greeterNamed } from '../fixtures/definitions.js';
import type { HttpApi, TestTenant } from '../support/http-api.js';
import { startApi } from '../support/api.js';
import { eventually } from '../support/eventually.js';

const STOP = '/v1/workspace/emergency-stop';
const RESUME = '/v1/workspace/resume';
const YAML = { 'Content-Type': 'application/yaml' };

// No worker runs here. emergency-stop.e2e-spec.ts tests what a stop does to real workers.
describe('the routes of the emergency stop', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    // The invariants are those of a whole database.
    api = await startApi();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, body?: object) => api.call(method, path, { key: tenant.adminKey, body });
  const auditedActions = async (query = '') => {
    const { status, body } = await call('GET', `/v1/audit-events?order=asc${query}`);
    expect(status).toBe(200);
    return body.data.map((event: { action: string }) => event.action);
  };

  it('stop and resume the workspace, and show what they did', async () => {
    const agent = await api.call('POST', '/v1/agents', {
      key: tenant.adminKey,
      body: greeterNamed('g'),
      headers: YAML,
    });
    const run = await call('POST', `/v1/agents/${agent.body.id}/runs`, { input: { name: 'Ada' } });
    const stopped = await call('POST', STOP, { reason: 'smoke' });
    expect([stopped.status, stopped.body]).toEqual([
      200,
      {
        status: 'stopped',
        epoch: 2,
        stopped_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        stopped_by: 'admin@example.com',
        reason: 'smoke',
        runs: { queued: 1, running: 0, waiting_approval: 0 },
        in_flight: [],
      },
    ]);
    const { stopped_at } = stopped.body;
    const shown = { status: 'stopped', epoch: 2, stopped_at, stopped_by: 'admin@example.com', reason: 'smoke' };
    expect((await call('GET', '/v1/workspace')).body).toMatchObject(shown);

    expect((await call('POST', STOP, { reason: 'again' })).body).toEqual(stopped.body);
    expect((await call('GET', `/v1/runs/${run.body.id}`)).status).toBe(200);
    expect((await call('POST', `/v1/runs/${run.body.id}/cancel`)).body).toMatchObject({ status: 'cancelled' });

    const active = { status: 'active', epoch: 3, stopped_at: null, stopped_by: null, reason: null };
    for (const answer of [await call('POST', RESUME, { reason: 'aired' }), await call('POST', RESUME)]) {
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(active)]);
    }
    expect(await auditedActions('&action=workspace.stop')).toEqual(['workspace.stop']);
    expect(await auditedActions('&action=workspace.resume')).toEqual(['workspace.resume']);
  });

  it.each<Role>(['viewer', 'operator', 'builder'])('refuse a %s, which the audit log tells', async (role) => {
    const key = await tenant.key(role);
    for (const path of [STOP, RESUME]) {
      const { status, body } = await api.call('POST', path, { key });
      expect([status, body.code]).toEqual([403, 'admin_required']);
    }
    expect((await call('GET', '/v1/workspace')).body).toMatchObject({ status: 'active', epoch: 1 });
    const { body } = await call('GET', `/v1/audit-events?actor=${role}@Example.com&order=asc`);
    const refused = {
      actor: `${role}@example.com`,
      target: tenant.workspaceId,
      detail: { code: 'admin_required', role },
    };
    expect(body.data).toMatchObject([
      { action: 'workspace.stop_refused', ...refused },
      { action: 'workspace.resume_refused', ...refused },
    ]);
  });

  it('are no business of other workspaces', async () => {
    const other = await api.newTenant();
    await call('POST', STOP);
    const seen = await api.call('GET', '/v1/workspace', { key: other.adminKey });
    expect(seen.body).toMatchObject({ status: 'active', epoch: 1 });
    expect((await api.call('GET', '/v1/audit-events', { key: other.adminKey })).body).toEqual({ data: [] });
  });

  it.each<[string, object]>([
    [STOP, { runs: 'kill' }],
    [STOP, { drain_timeout_ms: 30_001 }],
    [STOP, { drain_timeout_ms: -1 }],
    [STOP, { drain_timeout_ms: '5' }],
    [STOP, { reason: 'x'.repeat(1_001) }],
    [STOP, { resaon: 'typo' }],
    [RESUME, { queued_runs: 'drop' }],
    [RESUME, { reason: 7 }],
  ])('refuse %s with %j, and nothing is changed', async (path, body) => {
    const answer = await call('POST', path, body);
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      400,
      'invalid_request',
      `/${Object.keys(body)[0] ?? ''}`,
    ]);
    expect((await call('GET', '/v1/workspace')).body).toMatchObject({ status: 'active', epoch: 1 });
  });

  it('cancel the queued runs where the body says so', async () => {
    const agent = await api.call('POST', '/v1/agents', {
      key: tenant.adminKey,
      body: greeterNamed('g'),
      headers: YAML,
    });
    const start = async () =>
      (await call('POST', `/v1/agents/${agent.body.id}/runs`, { input: { name: 'Ada' } })).body.id as string;
    const statusOf = async (id: string) => (await call('GET', `/v1/runs/${id}`)).body;
    const [kept, dropped] = [await start(), await start()];
    await call('POST', STOP);
    await call('POST', `/v1/runs/${dropped}/cancel`, { reason: 'typo' });
    await call('POST', RESUME);
    expect(await statusOf(kept)).toMatchObject({ status: 'queued' });
    await call('POST', STOP);
    await call('POST', RESUME, { queued_runs: 'cancel', reason: 'stale' });
    expect(await statusOf(kept)).toMatchObject({ status: 'cancelled', cancel_reason: 'stale' });
    const last = await start();
    expect((await call('POST', STOP, { runs: 'cancel', reason: 'enough' })).body.runs.queued).toBe(0);
    expect(await statusOf(last)).toMatchObject({ status: 'cancelled', cancel_reason: 'enough' });
    await call('POST', RESUME);
    const unsaid = await start();
    await call('POST', STOP, { runs: 'cancel' });
    expect(await statusOf(unsaid)).toMatchObject({ cancel_reason: 'Emergency stop of the workspace.' });
    await call('POST', RESUME);
    const queued = await start();
    await call('POST', STOP);
    await call('POST', RESUME, { queued_runs: 'cancel' });
    expect(await statusOf(queued)).toMatchObject({
      cancel_reason: 'The workspace was resumed, and its queued runs were cancelled.',
    });
  });

  describe('leave lines in the audit log that', () => {
    it('are read page by page, by actor and by action', async () => {
      for (let times = 0; times < 3; times++) {
        await call('POST', STOP);
        await call('POST', RESUME);
      }
      const all = await auditedActions();
      expect(all).toEqual(Array.from({ length: 3 }, () => ['workspace.stop', 'workspace.resume']).flat());
      const read: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await call('GET', `/v1/audit-events?order=asc&limit=2${cursor}`);
        read.push(...body.data.map((event: { action: string }) => event.action));
        if (body.next_cursor === undefined) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(read).toEqual(all);
      expect(await auditedActions('&action=workspace.stop&actor=admin@example.com')).toHaveLength(3);
      expect(await auditedActions('&actor=unknown@example.com')).toEqual([]);
      expect(await auditedActions('&since=2026-01-01T00:00:00Z')).toEqual(all);
      expect(await auditedActions('&until=2026-01-01T00:00:00Z')).toEqual([]);
    });

    it.each(['action=stop', 'action=workspace.stop&action=workspace.resume', 'acton=workspace.stop'])(
      'are not read by %s',
      async (query) => {
        const { status, body } = await call('GET', `/v1/audit-events?${query}`);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
      },
    );

    it('only an admin reads', async () => {
      const { status, body } = await api.call('GET', '/v1/audit-events', { key: await tenant.key('builder') });
      expect([status, body.code]).toEqual([403, 'admin_required']);
    });
  });

  it('belong to a service whose metrics tell that no invariant is broken', async () => {
    const { body } = await api.call('GET', '/metrics');
    expect(body).toMatch(/^aas_invariant_violations\{invariant="I4"\} 0$/m);
    expect(body.match(/^aas_invariant_violations\{invariant="I\d+"\} 0$/gm)).toHaveLength(15);
  });
});

describe('an emergency stop without a queue and without a free connection', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let database: Pool;

  beforeAll(async () => {
    // No server listens on this port, so the queue is unavailable during the whole test.
    api = await startApi({ env: { REDIS_URL: 'redis://127.0.0.1:1', DATABASE_POOL_SIZE: '2' } });
    tenant = await api.newTenant();
    database = new Pool({ connectionString: api.databaseUrl, max: 2 });
  });
  afterAll(async () => {
    await database.end();
    await api.close();
  });

  it('answers a key and a session while every other request waits', async () => {
    const { adminKey: key } = tenant;
    const agent = await api.call('POST', '/v1/agents', { key, body: greeterNamed('queued'), headers: YAML });
    const run = await api.call('POST', `/v1/agents/${agent.body.id}/runs`, { key, body: { input: { name: 'Ada' } } });
    expect(run.status).toBe(202);
    const page = { 'sec-fetch-site': 'same-origin' };
    const signedIn = await api.call('POST', '/auth/key', { headers: page, body: { api_key: key } });
    const [cookie = ''] = signedIn.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    // All connections of the main database pool wait for this lock, and all other requests wait for a connection.
    const holding = database.query(
      `do $$ begin lock table agents in access exclusive mode; perform pg_sleep(3600); end $$`,
    );
    const released = holding.catch(() => undefined);
    const locked = `from pg_locks where relation = 'agents'::regclass and granted and mode = 'AccessExclusiveLock'`;
    const rows = async (text: string): Promise<unknown[]> => (await database.query(text)).rows;
    await eventually(async () => expect(await rows(`select ${locked}`)).toHaveLength(1));
    const stuck = Array.from({ length: 12 }, () => api.call('GET', '/v1/agents', { key }));
    const waiting = `select from pg_stat_activity
      where datname = current_database() and application_name = 'api' and wait_event_type = 'Lock'`;
    await eventually(async () => expect(await rows(waiting)).toHaveLength(2));

    const bySession = await api.call('POST', STOP, { headers: { ...page, cookie }, body: {} });
    expect(bySession).toMatchObject({ status: 200, body: { status: 'stopped' } });
    const stopped = await api.call('POST', STOP, { key, body: {} });
    expect(await rows(`select ${locked}`)).toHaveLength(1);
    expect(stopped).toMatchObject({
      status: 200,
      body: { status: 'stopped', runs: { queued: 1 }, in_flight: [] },
    });
    expect((await Promise.all(stuck)).map(({ status }) => status)).toContain(503);
    await database.query(`select pg_cancel_backend(pid) ${locked}`);
    await released;
    // A worker finds the run in its periodic sweep (fleet.e2e-spec.ts).
    expect(await api.call('POST', RESUME, { key, body: {} })).toMatchObject({ status: 200 });
    expect((await api.call('GET', `/v1/runs/${run.body.id}`, { key })).body).toMatchObject({ status: 'queued' });
  });
});
