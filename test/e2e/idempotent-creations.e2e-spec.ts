import { Client } from 'pg';
import { GREETER } from '../fixtures/definitions.js';
import { type ApiDocument, OpenApiContract } from '../support/openapi-contract.js';
import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

/**
 * POST operations that may be repeated without an idempotency key. The second request changes nothing, is rejected, or
 * replaces the result of the first one.
 */
const SAFE_TO_REPEAT = [
  'POST /auth/cli',
  'POST /auth/cli/token',
  'POST /auth/email',
  'POST /auth/email/verify',
  'POST /auth/key',
  'POST /auth/link',
  'POST /auth/oauth/register',
  'POST /auth/oauth/requests/{id}',
  'POST /auth/oauth/revoke',
  'POST /auth/oauth/token',
  'POST /auth/sign-out',
  'POST /v1/agents/{id}/pause',
  'POST /v1/agents/{id}/resume',
  'POST /v1/agents/{id}/versions/{n}/diff',
  'POST /v1/agents/{id}/versions/{n}/promote',
  'POST /v1/callbacks/{token}',
  'POST /v1/connections/{id}/authorize',
  'POST /v1/definitions/validate',
  'POST /v1/evaluations/{id}/cancel',
  'POST /v1/files/{id}/links',
  'POST /v1/knowledge-bases/{id}/search',
  'POST /v1/knowledge-bases/{id}/sources/test',
  'POST /v1/knowledge-bases/{id}/sources/{source_id}/authorize',
  'POST /v1/knowledge-bases/{id}/sources/{source_id}/syncs/{sync_id}/cancel',
  'POST /v1/knowledge-bases/{id}/sources/{source_id}/syncs/{sync_id}/confirm-deletions',
  'POST /v1/members/{id}/invitations',
  'POST /v1/model-checks',
  'POST /v1/oauth/authorize',
  'POST /v1/runs/{id}/approvals/{approval_id}',
  'POST /v1/runs/{id}/cancel',
  'POST /v1/sessions/switch',
  'POST /v1/workspace/emergency-stop',
  'POST /v1/workspace/resume',
];

describe('Idempotency-Key', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let postgres: Client;
  let agent: string;
  let base: string;
  let source: string;
  let unsynced: string;
  let endpoint: string;
  let key: string;

  beforeAll(async () => {
    api = await sharedApi();
    postgres = new Client({ connectionString: api.databaseUrl });
    await postgres.connect();
    tenant = await api.newTenant();
    const yaml = { 'Content-Type': 'application/yaml' };
    agent = (await post('/agents', GREETER, yaml)).body.id;
    base = (await post('/knowledge-bases', { name: 'handbook' })).body.id;
    source = (await post(`/knowledge-bases/${base}/sources`, { connector: 'upload' })).body.id;
    unsynced = (await post(`/knowledge-bases/${base}/sources`, { connector: 'upload' })).body.id;
    endpoint = (await post('/webhook-endpoints', { url: 'https://example.com/', events: ['webhook.test'] })).body.id;
    await post('/members', { email: 'ada@example.com', role: 'viewer' });
    const body = { name: 'ci', kind: 'live', role: 'viewer', member: 'ada@example.com' };
    key = (await post('/api-keys', body)).body.id;
  });

  afterAll(async () => {
    await postgres.end();
    await api.close();
  });

  const post = (path: string, body?: object | string, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
    api.call('POST', `/v1${path}`, { key: tenant.adminKey, body, headers });

  /**
   * A request that is repeated. `other` is another body for the same path. `action` is the action that the request
   * records in the audit log.
   */
  interface Repeated {
    path: string;
    body?: object;
    other?: object;
    action: string;
  }

  const REPEATED: Readonly<Record<string, () => Repeated>> = {
    'a member': () => ({
      path: '/members',
      body: { email: 'eve@example.com', role: 'viewer' },
      other: { email: 'bob@example.com', role: 'viewer' },
      action: 'member.create',
    }),
    'a group': () => ({
      path: '/groups',
      body: { name: 'board', members: ['ada@example.com'] },
      other: { name: 'board', members: [] },
      action: 'group.create',
    }),
    'a knowledge base': () => ({
      path: '/knowledge-bases',
      body: { name: 'library' },
      other: { name: 'library', description: 'Books.' },
      action: 'knowledge_base.create',
    }),
    'a connection': () => ({
      path: '/connections',
      body: { name: 'code', provider: 'github' },
      other: { name: 'code', provider: 'github', agents: [agent] },
      action: 'connection.create',
    }),
    'a pushed document': () => ({
      path: `/knowledge-bases/${base}/sources/${source}/documents`,
      body: { name: 'a.txt', text: 'One.' },
      other: { name: 'a.txt', text: 'Two.' },
      action: 'document.push',
    }),
    'a sync': () => ({ path: `/knowledge-bases/${base}/sources/${unsynced}/sync`, action: 'source.sync' }),
    'a test delivery': () => ({ path: `/webhook-endpoints/${endpoint}/test`, action: 'webhook.test' }),
    'a new text of an API key': () => ({
      path: `/api-keys/${key}/rotate`,
      body: {},
      other: { grace_seconds: 1 },
      action: 'api_key.rotate',
    }),
    'a new secret of an endpoint': () => ({
      path: `/webhook-endpoints/${endpoint}/rotate`,
      body: {},
      other: { grace_seconds: 1 },
      action: 'webhook.rotate',
    }),
    'a bulk action': () => ({
      path: '/bulk-actions',
      body: { action: 'cancel', ids: Array.from({ length: 30 }, (_, n) => `run_${n}`) },
      other: { action: 'cancel', ids: ['run_1'] },
      action: 'bulk_action.create',
    }),
    'a new webhook secret of an agent': () => ({
      path: `/agents/${agent}/webhook-secret/rotate`,
      body: {},
      other: { grace_seconds: 1 },
      action: 'agent.webhook_secret.rotate',
    }),
  };

  const recorded = async (action: string): Promise<number> => {
    const text = 'select count(*)::integer as n from audit_events where workspace_id = $1 and action = $2';
    return (await postgres.query<{ n: number }>(text, [tenant.workspaceId, action])).rows[0]!.n;
  };

  it.each(Object.keys(REPEATED))('makes %s once, and answers a repetition as the first request', async (what) => {
    const { path, body, other, action } = REPEATED[what]!();
    const headers = { 'Idempotency-Key': `once ${what}` };
    const before = await recorded(action);
    const first = await post(path, body, headers);
    expect([first.status < 300, first.headers.get('idempotent-replayed')]).toEqual([true, null]);
    const again = await post(path, body, headers);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect([again.headers.get('idempotent-replayed'), again.headers.get('location')]).toEqual([
      'true',
      first.headers.get('location'),
    ]);
    expect((await recorded(action)) - before).toBe(1);
    if (!other) return;
    const refused = await post(path, other, headers);
    expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  it('repeats a secret that is shown once, which is stored encrypted', async () => {
    const headers = { 'Idempotency-Key': 'lost answer' };
    const { body } = await post(`/agents/${agent}/webhook-secret/rotate`, {}, headers);
    const { rows } = await postgres.query<{ response: Buffer }>(
      `select response from idempotency_keys where key = 'lost answer'`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.response.toString('latin1')).not.toContain(body.webhook_secret.slice(8));
    expect((await post(`/agents/${agent}/webhook-secret/rotate`, {}, headers)).body).toEqual(body);
  });

  it('continues a form of documents behind those that the first request has pushed', async () => {
    const path = `/knowledge-bases/${base}/sources/${source}/documents`;
    const push = async (second: string, type: string): Promise<ApiAnswer> => {
      const part = (name: string, of: string, text: string) =>
        `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${of}\r\n\r\n${text}\r\n`;
      const form = `${part('1.txt', 'text/plain', 'One.')}${part('2.txt', type, second)}--x--\r\n`;
      return post(path, form, { 'Content-Type': 'multipart/form-data; boundary=x', 'Idempotency-Key': 'form' });
    };
    const before = await recorded('document.push');
    // The service rejects the request because of the media type of the second file.
    expect((await push('Two.', 'application/zip')).status).toBe(415);
    expect((await recorded('document.push')) - before).toBe(1);
    const continued = await push('Two.', 'text/plain');
    expect([continued.status, continued.headers.get('idempotent-replayed')]).toEqual([202, null]);
    expect((await recorded('document.push')) - before).toBe(2);
    expect((await push('Two.', 'text/plain')).headers.get('idempotent-replayed')).toBe('true');
    expect((await recorded('document.push')) - before).toBe(2);
  });

  it('is described for every operation that creates something', async () => {
    const contract = new OpenApiContract((await api.call('GET', '/v1/openapi.json')).body as ApiDocument);
    const without = contract
      .operations()
      .filter(({ method }) => method === 'POST')
      .filter(({ operation }) => !operation.parameters?.some(({ name }) => name === 'Idempotency-Key'))
      .map(({ route }) => route);
    expect(without.sort()).toEqual(SAFE_TO_REPEAT);
  });
});
