import type { JsonObject } from '@app/kernel';
import { ConsoleClient } from '../support/console-client.js';
import { eventually } from '../support/eventually.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

describe('API keys over HTTP', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, `/v1${path}`, { key: tenant.adminKey, ...options });
  const aBody = (more: JsonObject = {}): JsonObject => ({
    name: 'ci',
    kind: 'test',
    role: 'operator',
    member: 'admin@example.com',
    ...more,
  });
  const meOf = async (key: string) => (await call('GET', '/me', { key })).body;
  const refusal = async (body: JsonObject) => {
    const answer = await call('POST', '/api-keys', { body });
    return `${answer.status} ${answer.body.code} ${answer.body.errors?.[0]?.pointer}`;
  };

  it('are made, shown without their text, rotated and revoked', async () => {
    const expires_at = '2999-12-31T23:59:59.000Z';
    const made = await call('POST', '/api-keys', { body: aBody({ scopes: ['runs:read', 'agents:run'], expires_at }) });
    expect(made.status).toBe(201);
    const { key, ...shown } = made.body;
    expect(made.headers.get('location')).toBe(`/v1/api-keys/${shown.id}`);
    expect(key).toMatch(/^aas_test_/);
    expect(shown).toMatchObject({
      name: 'ci',
      kind: 'test',
      role: 'operator',
      member: 'admin@example.com',
      scopes: ['runs:read', 'agents:run'],
      effective_scopes: ['runs:read', 'agents:run'],
      prefix: key.slice(0, 13),
      last_four: key.slice(-4),
      expires_at,
      last_used_at: null,
      previous_expires_at: null,
    });
    expect(await meOf(key)).toEqual({
      member: 'admin@example.com',
      role: 'operator',
      scopes: ['agents:run', 'runs:read'],
      key: { id: shown.id, kind: 'test', name: 'ci' },
      session: null,
      workspace: { id: tenant.workspaceId, name: expect.any(String) },
      workspaces: [{ id: tenant.workspaceId, name: expect.any(String), current: true }],
    });
    const used = await eventually(async () => {
      const { body } = await call('GET', `/api-keys/${shown.id}`);
      expect(body.last_used_at).not.toBeNull();
      return body;
    });
    expect(used).toEqual({ ...shown, last_used_at: expect.any(String) });

    const rotated = await call('POST', `/api-keys/${shown.id}/rotate`, { body: { grace_seconds: 600 } });
    expect(rotated).toMatchObject({ status: 200, body: { id: shown.id, previous_expires_at: expect.any(String) } });
    for (const text of [key, rotated.body.key]) expect((await meOf(text)).key.id).toBe(shown.id);

    expect((await call('DELETE', `/api-keys/${shown.id}`)).status).toBe(204);
    expect((await call('GET', `/api-keys/${shown.id}`)).status).toBe(404);
    expect((await call('DELETE', `/api-keys/${shown.id}`)).status).toBe(404);
    for (const text of [key, rotated.body.key]) expect((await meOf(text)).code).toBe('invalid_api_key');
  });

  it('are dead at once after a rotation without grace', async () => {
    const { body } = await call('POST', '/api-keys', { body: aBody() });
    expect((await meOf(body.key)).key.id).toBe(body.id);
    const rotated = await call('POST', `/api-keys/${body.id}/rotate`, { body: { grace_seconds: 0 } });
    expect((await meOf(body.key)).code).toBe('expired_api_key');
    expect((await meOf(rotated.body.key)).key.id).toBe(body.id);
  });

  it('are listed page by page, without those that were revoked', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await call('POST', '/api-keys', { body: aBody({ name }) })).body.id);
    await call('DELETE', `/api-keys/${ids[1]}`);
    const first = await call('GET', '/api-keys?limit=2');
    expect(first.body.data.map((key: { name: string }) => key.name)).toEqual(['c', 'a']);
    const second = await call('GET', `/api-keys?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body.data.map((key: { name: string }) => key.name)).toEqual(['first admin key']);
    expect(second.body).not.toHaveProperty('next_cursor');
    expect(JSON.stringify([first.body, second.body])).not.toMatch(/hash|"key"/);
  });

  it('are refused when they make no sense, or would do more than their member or their maker', async () => {
    await call('POST', '/members', { body: { email: 'eve@example.com', role: 'viewer' } });
    expect(await refusal(aBody({ member: 'nobody@example.com' }))).toBe('422 unknown_reference /member');
    expect(await refusal(aBody({ member: 'eve@example.com' }))).toBe('400 invalid_request /role');
    expect(await refusal(aBody({ scopes: ['keys:manage'] }))).toBe('400 invalid_request /scopes/0');
    expect(await refusal(aBody({ scopes: ['everything'] }))).toBe('400 invalid_request /scopes/0');
    expect(await refusal(aBody({ expires_at: '2020-01-01T00:00:00Z' }))).toBe('400 invalid_request /expires_at');
    expect(await refusal(aBody({ expires_at: 'tomorrow' }))).toBe('400 invalid_request /expires_at');
    expect(await refusal(aBody({ kind: 'dead' }))).toBe('400 invalid_request /kind');
    expect(await refusal(aBody({ name: '' }))).toBe('400 invalid_request /name');
    const narrow = await call('POST', '/api-keys', { body: aBody({ role: 'admin', scopes: ['keys:manage'] }) });
    const answer = await call('POST', '/api-keys', { key: narrow.body.key, body: aBody() });
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
  });

  it('of the kind test create and rotate test keys only, and revoke every key', async () => {
    const { key } = (await call('POST', '/api-keys', { body: aBody({ role: 'admin' }) })).body;
    const session = new ConsoleClient(api);
    await session.signIn(key);
    const live = (await call('POST', '/api-keys', { body: aBody({ kind: 'live' }) })).body;
    const byKey = (path: string, body: JsonObject) => call('POST', path, { key, body });
    const inSession = (path: string, body: JsonObject) => session.call('POST', `/v1${path}`, body);
    for (const post of [byKey, inSession]) {
      for (const refused of [
        await post('/api-keys', aBody({ kind: 'live' })),
        await post(`/api-keys/${live.id}/rotate`, { grace_seconds: 0 }),
      ]) {
        expect([refused.status, refused.body.code]).toEqual([403, 'test_key_production_mode']);
      }
      const made = await post('/api-keys', aBody());
      expect(made).toMatchObject({ status: 201, body: { kind: 'test' } });
      expect((await post(`/api-keys/${made.body.id}/rotate`, { grace_seconds: 0 })).status).toBe(200);
    }
    expect((await meOf(live.key)).key.id).toBe(live.id);
    expect((await call('DELETE', `/api-keys/${live.id}`, { key })).status).toBe(204);
  });

  it('are refused with an empty list of scopes, which would let them do nothing', async () => {
    const answer = await call('POST', '/api-keys', { body: aBody({ scopes: [] }) });
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
      400,
      'invalid_request',
      [{ pointer: '/scopes', detail: 'scopes must contain at least one scope; omit it for all scopes of the role.' }],
    ]);
  });

  it('are made once for one Idempotency-Key: the same text again', async () => {
    const headers = { 'Idempotency-Key': 'make-ci' };
    const first = await call('POST', '/api-keys', { body: aBody(), headers });
    const again = await call('POST', '/api-keys', { body: aBody({ scopes: null }), headers });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await call('POST', '/api-keys', { body: aBody({ name: 'other' }), headers });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect((await call('GET', '/api-keys')).body.data).toHaveLength(2);
  });

  it('leave a line in the audit log for each change, without their text', async () => {
    const { body: made } = await call('POST', '/api-keys', { body: aBody() });
    const { body: rotated } = await call('POST', `/api-keys/${made.id}/rotate`);
    await call('DELETE', `/api-keys/${made.id}`);
    const { body } = await call('GET', '/audit-events?order=asc');
    expect(body.data.map((event: JsonObject) => [event.action, event.target, event.actor])).toEqual(
      ['api_key.create', 'api_key.rotate', 'api_key.delete'].map((action) => [action, made.id, 'admin@example.com']),
    );
    for (const { key } of [made, rotated]) expect(JSON.stringify(body)).not.toContain(key.slice(14, -4));
  });

  it('of another workspace are unknown', async () => {
    const { body: made } = await call('POST', '/api-keys', { body: aBody() });
    const { adminKey: key } = await api.newTenant();
    for (const [method, path] of [
      ['GET', `/api-keys/${made.id}`],
      ['POST', `/api-keys/${made.id}/rotate`],
      ['DELETE', `/api-keys/${made.id}`],
    ] as const) {
      expect([method, (await call(method, path, { key })).status]).toEqual([method, 404]);
    }
    expect((await meOf(made.key)).key.id).toBe(made.id);
  });
});
