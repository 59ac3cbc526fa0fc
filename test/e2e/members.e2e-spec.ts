import { Client } from 'pg';
import type { HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

describe('members and groups', () => {
  let api: HttpApi;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, body?: object, key = tenant.adminKey) =>
    api.call(method, `/v1${path}`, { key, body });
  const aMember = async (email: string, role = 'operator'): Promise<string> =>
    (await call('POST', '/members', { email, role })).body.id;

  const rows = async (text: string, values: unknown[]): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  };

  it('are made, shown, changed and removed by admins', async () => {
    const made = await call('POST', '/members', { email: ' Eve@Example.com', role: 'viewer' });
    expect(made.body.effective_scopes).toEqual(expect.arrayContaining(['runs:read', 'approvals:decide']));
    expect(made.body.effective_scopes).not.toContain('agents:run');
    expect(made).toMatchObject({ status: 201, body: { email: 'eve@example.com', role: 'viewer' } });
    const place = made.headers.get('location')?.replace('/v1', '') ?? '';
    expect(place).toBe(`/members/${made.body.id}`);
    expect((await call('GET', place)).body).toEqual(made.body);
    expect(await call('PATCH', place, { role: 'builder' })).toMatchObject({ status: 200, body: { role: 'builder' } });
    expect((await call('GET', '/members?order=asc')).body.data).toMatchObject([
      { email: 'admin@example.com', role: 'admin' },
      { email: 'eve@example.com', role: 'builder' },
    ]);
    expect(await call('DELETE', place)).toMatchObject({ status: 204, body: '' });
    expect((await call('GET', place)).status).toBe(404);
    expect((await call('DELETE', place)).status).toBe(404);
  });

  it('join groups as they are added, all of them or none', async () => {
    await call('POST', '/groups', { name: 'finance', members: ['admin@example.com'] });
    await call('POST', '/groups', { name: 'legal', members: [] });
    const eve = { email: 'eve@example.com', role: 'viewer' };
    expect(await call('POST', '/members', { ...eve, groups: ['finance', 'nowhere'] })).toMatchObject({
      status: 422,
      body: { code: 'unknown_reference', errors: [{ pointer: '/groups/1' }] },
    });
    expect((await call('GET', '/members')).body.data).toHaveLength(1);
    expect((await call('POST', '/members', { ...eve, groups: ['legal', 'finance', 'legal'] })).status).toBe(201);
    expect((await call('GET', '/groups?order=asc')).body.data).toMatchObject([
      { name: 'finance', members: ['admin@example.com', 'eve@example.com'] },
      { name: 'legal', members: ['eve@example.com'] },
    ]);
    const audited = (await call('GET', '/audit-events?action=member.create')).body.data;
    expect(audited[0].detail).toEqual({ email: eve.email, role: eve.role, groups: ['legal', 'finance'] });
  });

  it('are refused when they make no sense', async () => {
    await aMember('eve@example.com');
    const refused = async (body: object) => {
      const answer = await call('POST', '/members', body);
      return `${answer.status} ${answer.body.code}`;
    };
    expect(await refused({ email: 'EVE@example.com', role: 'viewer' })).toBe('409 name_taken');
    expect(await refused({ email: 'nobody', role: 'viewer' })).toBe('400 invalid_request');
    expect(await refused({ email: 'x@example.com', role: 'king' })).toBe('400 invalid_request');
    expect(await refused({ email: 'x@example.com' })).toBe('400 invalid_request');
  });

  it('are the business of admins alone', async () => {
    const builder = await tenant.key('builder');
    for (const path of ['/members', '/groups']) {
      expect(await call('GET', path, undefined, builder)).toMatchObject({
        status: 403,
        body: { code: 'admin_required' },
      });
    }
    const other = await api.newTenant();
    const id = await aMember('eve@example.com');
    expect((await call('PATCH', `/members/${id}`, { role: 'admin' }, other.adminKey)).status).toBe(404);
    expect((await call('DELETE', `/members/${id}`, undefined, other.adminKey)).status).toBe(404);
  });

  it('always have an admin among them, also when two admins demote each other at the same time', async () => {
    const { body } = await call('GET', '/members');
    const first = body.data[0].id as string;
    for (const [method, role] of [
      ['PATCH', { role: 'viewer' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await call(method, `/members/${first}`, role)).toMatchObject({
        status: 409,
        body: { code: 'last_admin' },
      });
    }
    const second = await aMember('second@example.com', 'admin');
    const answers = await Promise.all(
      [first, second].map((id) => call('PATCH', `/members/${id}`, { role: 'operator' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('can do less at once when they lose a role', async () => {
    const builder = await tenant.key('builder');
    expect((await call('GET', '/me', undefined, builder)).body).toMatchObject({ role: 'builder' });
    const { body } = await call('GET', '/members');
    const { id } = body.data.find(({ email }: { email: string }) => email === 'builder@example.com');
    await call('PATCH', `/members/${id}`, { role: 'viewer' });
    expect((await call('GET', '/me', undefined, builder)).body).toMatchObject({ role: 'viewer' });
  });

  it('take their keys and their places in groups with them', async () => {
    const operator = await tenant.key('operator');
    expect((await call('GET', '/me', undefined, operator)).status).toBe(200);
    const { body } = await call('GET', '/members');
    const { id } = body.data.find(({ email }: { email: string }) => email === 'operator@example.com');
    await call('POST', '/groups', { name: 'ops', members: ['operator@example.com'] });
    expect((await call('DELETE', `/members/${id}`)).status).toBe(204);
    expect((await call('GET', '/groups/ops')).body).toMatchObject({ members: [] });
    expect((await call('GET', '/me', undefined, operator)).status).toBe(401);
    const keys = 'select count(*)::int as keys from api_keys where workspace_id = $1';
    expect(await rows(keys, [tenant.workspaceId])).toEqual([{ keys: 1 }]);
  });

  it('form groups, which are known by their name', async () => {
    await aMember('eve@example.com');
    await aMember('bob@example.com');
    const name = 'finance leads ÄÖ';
    const made = await call('POST', '/groups', {
      name,
      members: ['eve@example.com', 'BOB@example.com', 'eve@example.com'],
    });
    expect(made).toMatchObject({ status: 201, body: { name, members: ['bob@example.com', 'eve@example.com'] } });
    const place = (made.headers.get('location') ?? '').replace('/v1', '');
    expect((await call('GET', place)).body).toEqual(made.body);
    expect((await call('PATCH', place, { members: ['eve@example.com'] })).body).toMatchObject({
      members: ['eve@example.com'],
    });
    const changes = `select detail from audit_events where workspace_id = $1 and action = 'group.update'`;
    const before = ['bob@example.com', 'eve@example.com'];
    expect(await rows(changes, [tenant.workspaceId])).toEqual([{ detail: { members: ['eve@example.com'], before } }]);
    expect((await call('PATCH', place, { members: [] })).body).toMatchObject({ members: [] });
    expect((await call('DELETE', place)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await call(method, place)).status).toBe(404);
  });

  it('in a group have to exist, and a group only once', async () => {
    await call('POST', '/groups', { name: 'ops', members: [] });
    const taken = await call('POST', '/groups', { name: 'ops', members: [] });
    expect(taken).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    for (const [method, path, more] of [
      ['POST', '/groups', { name: 'x' }],
      ['PATCH', '/groups/ops', {}],
    ] as const) {
      expect(await call(method, path, { ...more, members: ['admin@example.com', 'who@example.com'] })).toMatchObject({
        status: 422,
        body: { code: 'unknown_reference', errors: [{ pointer: '/members/1' }] },
      });
    }
    for (const name of ['x', '%00', 'a%00b']) expect((await call('GET', `/groups/${name}`)).status).toBe(404);
    for (const name of ['', ' x', 'a/b', 7]) {
      expect((await call('POST', '/groups', { name, members: [] })).status).toBe(400);
    }
  });

  it('of which there are many are listed in pages', async () => {
    for (const name of ['b', 'a', 'c']) await call('POST', '/groups', { name, members: [] });
    await rows(`update groups set created_at = '2026-01-01' where workspace_id = $1 and name > 'a'`, [
      tenant.workspaceId,
    ]);
    const page = async (query: string): Promise<{ names: string[]; next: string | undefined }> => {
      const { data, next_cursor: next } = (await call('GET', `/groups?limit=2${query}`)).body;
      return { names: data.map((group: { name: string }) => group.name), next };
    };
    for (const [order, ordered] of [
      ['asc', ['b', 'c', 'a']],
      ['desc', ['a', 'c', 'b']],
    ] as const) {
      const first = await page(`&order=${order}`);
      const rest = await page(`&order=${order}&cursor=${first.next ?? ''}`);
      expect([first.names, rest]).toEqual([ordered.slice(0, 2), { names: ordered.slice(2), next: undefined }]);
    }
  });

  it('leave a line in the audit log', async () => {
    const id = await aMember('eve@example.com');
    await call('PATCH', `/members/${id}`, { role: 'admin' });
    await call('POST', '/groups', { name: 'ops', members: ['eve@example.com'] });
    const text = 'select action, actor from audit_events where workspace_id = $1 order by created_at, id';
    const lines = await rows(text, [tenant.workspaceId]);
    expect(lines.map(({ action }) => action)).toEqual(['member.create', 'member.update', 'group.create']);
    expect(new Set(lines.map(({ actor }) => actor))).toEqual(new Set(['admin@example.com']));
  });
});
