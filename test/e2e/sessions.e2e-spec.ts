import { randomBytes } from 'node:crypto';
import { GREETER } from '../fixtures/definitions.js';
import type { HttpApi, TestTenant } from '../support/http-api.js';
import { ConsoleClient } from '../support/console-client.js';
import { eventually } from '../support/eventually.js';
import { sharedApi } from '../support/shared-api.js';

describe('sessions', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
  });
  afterAll(() => api.close());

  const aConsole = () => new ConsoleClient(api);
  const signedIn = async (key = tenant.adminKey) => {
    const page = aConsole();
    expect((await page.signIn(key)).status).toBe(200);
    return page;
  };
  const auditOf = async (action: string): Promise<Record<string, unknown>[]> =>
    (await api.call('GET', `/v1/audit-events?action=${action}`, { key: tenant.adminKey })).body.data;

  it('begin with an API key and have its person, role and scopes', async () => {
    const page = aConsole();
    const answer = await page.signIn(tenant.adminKey);
    expect(answer.body).toMatchObject({
      member: 'admin@example.com',
      role: 'admin',
      key: null,
      session: { id: expect.stringMatching(/^ses_/), method: 'key', current: true },
      workspaces: [{ id: tenant.workspaceId, current: true }],
    });
    expect((await page.call('GET', '/v1/me')).body).toEqual(answer.body);
    expect((await api.call('GET', '/v1/me', { key: tenant.adminKey })).body).toMatchObject({ session: null });
  });

  it('are in a cookie that no script and no other site can use', async () => {
    const { headers } = await aConsole().signIn(tenant.adminKey);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^aas_session=[A-Za-z0-9_-]{43};/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain('Secure');
    expect(cookie).not.toContain('Domain');
  });

  it('refuse wrong, revoked and expired keys with the same answer, and record those of the workspace', async () => {
    const body = { name: 'k', kind: 'live', role: 'viewer', member: 'admin@example.com' };
    const revoked = (await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body })).body;
    await api.call('DELETE', `/v1/api-keys/${revoked.id}`, { key: tenant.adminKey });
    const expired = (await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body })).body;
    await api.execute(`update api_keys set expires_at = clock_timestamp() where id = '${expired.id}'`);
    const answers = [];
    for (const key of [revoked.key, expired.key, 'aas_live_nonsense', randomBytes(32).toString('hex')]) {
      const { status, body: problem } = await aConsole().signIn(key);
      answers.push({ status, ...problem, request_id: '' });
    }
    expect(answers[0]).toMatchObject({ status: 401, code: 'invalid_sign_in' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const refused = await auditOf('session.refused');
    expect(refused).toHaveLength(2);
    expect(JSON.stringify(refused)).not.toContain(revoked.key);
  });

  it('end with the sign-out, and the cookie with them', async () => {
    const page = await signedIn();
    const { cookieHeader } = page;
    expect((await page.call('POST', '/auth/sign-out')).status).toBe(204);
    expect(page.cookieHeader).toBe('');
    const stolen = await aConsole().call('GET', '/v1/me', undefined, { Cookie: cookieHeader });
    expect(stolen).toMatchObject({ status: 401, body: { code: 'invalid_session' } });
    expect((await aConsole().call('POST', '/auth/sign-out')).status).toBe(204);
    expect(await auditOf('session.began')).toMatchObject([{ actor: 'admin@example.com', detail: { method: 'key' } }]);
    expect(await auditOf('session.ended')).toMatchObject([{ actor: 'admin@example.com' }]);
  });

  it('replace the previous session of the browser', async () => {
    const page = await signedIn();
    const { cookieHeader } = page;
    await page.signIn(tenant.adminKey);
    expect(page.cookieHeader).not.toBe(cookieHeader);
    const before = await aConsole().call('GET', '/v1/me', undefined, { Cookie: cookieHeader });
    expect(before).toMatchObject({ status: 401, body: { code: 'invalid_session' } });
  });

  it('have the scopes and the kind of their key, and end with it', async () => {
    const scopes = ['agents:read', 'agents:run'];
    const body = { name: 'k', kind: 'test', role: 'operator', member: 'admin@example.com', scopes };
    const made = (await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body })).body;
    const page = await signedIn(made.key);
    expect((await page.call('GET', '/v1/me')).body).toMatchObject({ role: 'operator', scopes });
    expect((await page.call('GET', '/v1/runs')).body.code).toBe('insufficient_scope');
    const path = `/v1/api-keys/${made.id}`;
    const rotated = await api.call('POST', `${path}/rotate`, { key: tenant.adminKey, body: { grace_seconds: 0 } });
    expect(rotated.status).toBe(200);
    expect((await page.call('GET', '/v1/me')).body.code).toBe('invalid_session');
    const next = await signedIn(rotated.body.key);
    await api.call('DELETE', path, { key: tenant.adminKey });
    expect((await next.call('GET', '/v1/me')).body.code).toBe('invalid_session');
  });

  it('count only for pages of the service', async () => {
    const page = await signedIn();
    const own = new URL(api.url).origin;
    const cases: [Record<string, string>, number][] = [
      [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
      [{ Origin: own }, 200],
      [{ 'Sec-Fetch-Site': 'same-site' }, 403],
      [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
      [{ 'Sec-Fetch-Site': 'none' }, 403],
      [{ 'Sec-Fetch-Site': 'cross-site', Origin: own }, 403],
      [{ Origin: 'https://example.com' }, 403],
      [{ Origin: 'null' }, 403],
      [{}, 403],
    ];
    for (const [headers, status] of cases) {
      const answer = await page.as(headers).call('GET', '/v1/me');
      expect([headers, answer.status, answer.body.code]).toEqual([
        headers,
        status,
        status === 403 ? 'cross_site' : undefined,
      ]);
    }
  });

  it('change something only with JSON or the header of the console', async () => {
    const page = await signedIn();
    const form = page.as({ 'Sec-Fetch-Site': 'same-origin' });
    const path = '/v1/workspace/emergency-stop';
    const plain = await form.call('POST', path, '', { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect(plain).toMatchObject({ status: 403, body: { code: 'cross_site' } });
    expect((await form.call('POST', path, '')).body.code).toBe('cross_site');
    expect((await form.call('POST', path, {})).status).toBe(200);
    expect((await form.call('POST', '/v1/workspace/resume', '', { 'x-aas-console': '1' })).status).toBe(200);
  });

  it('give way to an API key', async () => {
    const page = await signedIn(await tenant.key('viewer'));
    const answer = await page.as({}).call('GET', '/v1/me', undefined, { Authorization: `Bearer ${tenant.adminKey}` });
    expect(answer.body).toMatchObject({ role: 'admin', session: null });
    // A password for a proxy in front of the service is not treated as an API key.
    const behindProxy = await page.call('GET', '/v1/me', undefined, { Authorization: 'Basic YTpi' });
    expect(behindProxy.body).toMatchObject({ role: 'viewer', key: null });
  });

  it('cannot begin or end from another site', async () => {
    const page = await signedIn();
    const foreign = page.as({ Origin: 'https://example.com' });
    expect((await foreign.signIn(tenant.adminKey)).body.code).toBe('cross_site');
    expect((await foreign.call('POST', '/auth/sign-out')).body.code).toBe('cross_site');
    expect((await page.as({}).call('POST', '/auth/sign-out')).body.code).toBe('cross_site');
    expect((await page.call('GET', '/v1/me')).status).toBe(200);
  });

  it('are listed and ended by their member alone', async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    const operator = await signedIn(await tenant.key('operator'));
    const { data } = (await first.call('GET', '/v1/sessions')).body;
    expect(data).toHaveLength(2);
    expect(data).toMatchObject([{ current: false }, { current: true }]);
    expect((await operator.call('GET', '/v1/sessions')).body.data).toHaveLength(1);
    expect((await operator.call('DELETE', `/v1/sessions/${data[0].id}`)).status).toBe(404);
    expect((await first.call('DELETE', `/v1/sessions/${data[0].id}`)).status).toBe(204);
    expect((await second.call('GET', '/v1/me')).body.code).toBe('invalid_session');
    const paged = await first.call('GET', '/v1/sessions?limit=1&order=asc');
    expect(paged.body.data).toMatchObject([{ id: data[1].id, current: true }]);
  });

  it('end after twelve hours without use and after seven days', async () => {
    for (const change of ["last_seen_at = now() - interval '12 hours'", 'expires_at = now()']) {
      const page = await signedIn();
      expect((await page.call('GET', '/v1/sessions')).body.data).toHaveLength(1);
      await api.execute(`update sessions set ${change} where workspace_id = '${tenant.workspaceId}'`);
      await aConsole().signIn(tenant.adminKey); // The sign-in also removes the ended session.
      await eventually(async () => {
        expect((await page.call('GET', '/v1/me')).body.code).toBe('invalid_session');
      });
      await api.execute(`delete from sessions where workspace_id = '${tenant.workspaceId}'`);
    }
  });

  it('end with a change of role and with the removal of their member', async () => {
    const key = await tenant.key('operator');
    const page = await signedIn(key);
    const { data } = (await api.call('GET', '/v1/members', { key: tenant.adminKey })).body;
    const path = `/v1/members/${data.find(({ role }: { role: string }) => role === 'operator').id}`;
    await api.call('PATCH', path, { key: tenant.adminKey, body: { role: 'operator' } });
    expect((await page.call('GET', '/v1/me')).status).toBe(200);
    await api.call('PATCH', path, { key: tenant.adminKey, body: { role: 'viewer' } });
    expect((await page.call('GET', '/v1/me')).body.code).toBe('invalid_session');
    await page.signIn(key);
    await api.call('DELETE', path, { key: tenant.adminKey });
    expect((await page.call('GET', '/v1/me')).body.code).toBe('invalid_session');
    expect(await auditOf('session.ended')).toHaveLength(2);
  });

  it('need a recent sign-in for keys, members, agents, secrets and redacted values, and never for the stop', async () => {
    const page = await signedIn();
    const member = { email: 'eve@example.com', role: 'viewer' };
    const key = { name: 'k', kind: 'live', role: 'viewer', member: 'admin@example.com' };
    expect((await page.call('POST', '/v1/members', member)).status).toBe(201);
    await api.execute("update sessions set signed_in_at = signed_in_at - interval '10 minutes'");
    await aConsole().signIn(tenant.adminKey);
    const id = '01kahzvk3te9d8q6f0f1v3m2sx';
    const guarded: [string, string, object?][] = [
      ['POST', '/v1/members', member],
      ['PATCH', `/v1/members/mem_${id}`, { role: 'viewer' }],
      ['DELETE', `/v1/members/mem_${id}`],
      ['POST', '/v1/api-keys', key],
      ['POST', `/v1/api-keys/key_${id}/rotate`, {}],
      ['PUT', '/v1/secrets/TOKEN', { value: 'x' }],
      ['DELETE', '/v1/secrets/TOKEN'],
      ['POST', '/v1/groups', { name: 'finance', members: [] }],
      ['PATCH', '/v1/groups/finance', { members: ['admin@example.com'] }],
      ['DELETE', '/v1/groups/finance'],
      ['POST', '/v1/agents', { name: 'greeter', steps: [{ id: 'hello', output: { hello: true } }] }],
      ['POST', '/v1/webhook-endpoints', { url: 'https://example.com/hook' }],
      ['POST', `/v1/webhook-endpoints/whe_${id}/rotate`, {}],
      ['POST', `/v1/agents/agt_${id}/webhook-secret/rotate`, {}],
      ['GET', `/v1/runs/run_${id}?reveal=true`],
      ['GET', `/v1/runs/run_${id}/trace?reveal=true`],
    ];
    await eventually(async () => {
      expect((await page.call('POST', '/v1/members', member)).body.code).toBe('sign_in_again');
    });
    for (const [method, path, body] of guarded) {
      const { status, body: problem } = await page.call(method, path, body);
      expect([method, path, status, problem.code]).toEqual([method, path, 403, 'sign_in_again']);
    }
    for (const [method, path] of [
      ['DELETE', `/v1/api-keys/key_${id}`],
      ['GET', `/v1/runs/run_${id}`],
    ] as const) {
      expect((await page.call(method, path)).status).toBe(404);
    }
    expect((await page.call('POST', '/v1/workspace/emergency-stop', {})).status).toBe(200);
    expect((await api.call('POST', '/v1/members', { key: tenant.adminKey, body: member })).status).toBe(409);
  });

  it('by a key stay in its workspace', async () => {
    const page = await signedIn();
    const other = await api.newTenant();
    const answer = await page.call('POST', '/v1/sessions/switch', { workspace: other.workspaceId });
    expect(answer).toMatchObject({ status: 403, body: { code: 'sign_in_again' } });
  });

  it('take their open event streams with them', async () => {
    const headers = { 'Content-Type': 'application/yaml' };
    const agent = await api.call('POST', '/v1/agents', { key: tenant.adminKey, body: GREETER, headers });
    const start = { key: tenant.adminKey, body: { input: { name: 'Ada' } } };
    const { body: run } = await api.call('POST', `/v1/agents/${agent.body.id}/runs`, start);
    const page = await signedIn();
    const other = await signedIn();
    const stream = await fetch(`${api.url}/v1/runs/${run.id}/events`, {
      headers: { ...page.headers, Cookie: page.cookieHeader },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text();
    const { data } = (await page.call('GET', '/v1/sessions')).body;
    const { id } = data.find(({ current }: { current: boolean }) => current);
    expect((await other.call('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    expect(await ended).not.toContain('event: end');
  });
});
