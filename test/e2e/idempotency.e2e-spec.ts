import { Client } from 'pg';

import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };

describe('a request with an Idempotency-Key', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let other: Client;
  let agent: { id: string; webhook_secret: string };
  let base: string;

  beforeAll(async () => {
    api = await sharedApi();
    other = new Client({ connectionString: api.databaseUrl });
    await other.connect();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
    agent = (await api.call('POST', '/v1/agents', { key: tenant.adminKey, body: GREETER, headers: YAML })).body;
    base = (await api.call('POST', '/v1/knowledge-bases', { key: tenant.adminKey, body: { name: 'handbook' } })).body
      .id;
  });

  afterAll(async () => {
    await other.end();
    await api.close();
  });

  type Send = (key: string) => Promise<ApiAnswer>;

  /** Requests for the operations for which the API contract allows an `Idempotency-Key`. */
  const REQUESTS: Readonly<Record<string, Send>> = {
    agent: (key) => post('/agents', greeterNamed('second'), { ...YAML, 'Idempotency-Key': key }),
    version: (key) => {
      const body = GREETER.replace('Hello', 'Good day');
      return post(`/agents/${agent.id}/versions`, body, { ...YAML, 'Idempotency-Key': key });
    },
    source: (key) => post(`/knowledge-bases/${base}/sources`, { connector: 'upload' }, { 'Idempotency-Key': key }),
    run: (key) => post(`/agents/${agent.id}/runs`, { input: { name: 'Ada' } }, { 'Idempotency-Key': key }),
    trigger: (key) => {
      const headers = { 'Idempotency-Key': key, 'X-Service-Webhook-Secret': agent.webhook_secret };
      return post(`/agents/${agent.id}/trigger`, { name: 'Ada' }, headers);
    },
  };
  const TABLES = ['agents', 'agent_versions', 'knowledge_sources', 'runs'];

  function post(path: string, body: object | string, headers: Record<string, string>): Promise<ApiAnswer> {
    return api.call('POST', `/v1${path}`, { key: tenant.adminKey, body, headers });
  }

  const all = async (key: string): Promise<Record<string, readonly unknown[]>> => {
    const answers = Object.entries(REQUESTS).map(async ([name, send]) => {
      const { status, headers, body } = await send(key);
      return [name, [status, headers.get('idempotent-replayed'), body.code]] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  };
  const each = (answer: (name: string) => unknown) =>
    Object.fromEntries(Object.keys(REQUESTS).map((name) => [name, answer(name)]));
  const succeeded = (name: string): number => (name === 'run' || name === 'trigger' ? 202 : 201);

  it('is asked to retry while the first one is in progress, and is carried out if that one fails', async () => {
    await all('another');
    // Simulates another request that has stored the idempotency key but has not committed yet.
    await other.query('begin');
    await other.query(
      `insert into idempotency_keys (workspace_id, endpoint, key, fingerprint, resource_id)
       select workspace_id, endpoint, 'once', fingerprint, 'x' from idempotency_keys where workspace_id = $1`,
      [tenant.workspaceId],
    );
    await other.query(
      `insert into trigger_receipts (agent_id, key, workspace_id, fingerprint, run_id, expires_at)
       select agent_id, replace(key, 'another', 'once'), workspace_id, fingerprint, run_id, expires_at
       from trigger_receipts where agent_id = $1`,
      [agent.id],
    );
    expect(await all('once')).toEqual(each(() => [409, null, 'idempotency_in_progress']));
    expect(Number((await REQUESTS['run']!('once')).headers.get('retry-after'))).toBeGreaterThan(0);
    await other.query('rollback');
    expect(await all('once')).toMatchObject({ run: [202, null, undefined], trigger: [202, null, undefined] });
  });

  it('that met a failure of the service is carried out when it is repeated, and then kept', async () => {
    await other.query(`create function broken() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
    for (const table of TABLES)
      await other.query(`create trigger broken before insert on ${table} execute function broken()`);
    expect(await all('once')).toEqual(each(() => [500, null, 'internal_error']));
    await other.query('drop function broken cascade');
    expect(await all('once')).toEqual(each((name) => [succeeded(name), null, undefined]));
    expect(await all('once')).toEqual(each((name) => [succeeded(name), 'true', undefined]));
  });
});
