import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const AGENT = { name: 'reader', steps: [{ id: 'a', output: 1 }] };
const UNKNOWN_AGENT = 'agt_01kahzvk3te9d8q6f0f1v3m2sx';

describe('knowledge bases over HTTP', () => {
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
  const create = async (name = 'policies', further: object = {}) =>
    (await call('POST', '/knowledge-bases', { body: { name, ...further } })).body;

  it('are made, read, changed and deleted', async () => {
    const made = await call('POST', '/knowledge-bases', { body: { name: 'policies', description: 'What we promise' } });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/v1/knowledge-bases/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^kb_[0-9a-z]{26}$/),
      name: 'policies',
      description: 'What we promise',
      region: 'local',
      settings: expect.objectContaining({ embedding: null, language: 'auto' }),
      document_count: 0,
      chunk_count: 0,
      sources: { total: 0, syncing: 0, failing: 0, expired: 0 },
      grants: { users: 0, groups: 0, channels: 0, agents: 0 },
      last_synced_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const path = `/knowledge-bases/${made.body.id}`;
    expect((await call('GET', path)).body).toEqual(made.body);
    const changed = await call('PATCH', path, { body: { name: 'rules', settings: { retrieval: { top_k: 3 } } } });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'rules', description: 'What we promise', settings: { retrieval: { mode: 'keyword', top_k: 3 } } },
    });
    expect(await call('DELETE', path)).toMatchObject({ status: 204, body: '' });
    for (const method of ['GET', 'DELETE']) expect((await call(method, path)).body.code).toBe('not_found');
    expect((await create('rules')).name).toBe('rules');
  });

  it('have a name of their own in the workspace, also while two are made or renamed at once', async () => {
    const first = await create('a');
    const second = await create('b');
    const attempts = await Promise.all([
      call('POST', '/knowledge-bases', { body: { name: 'c' } }),
      call('PATCH', `/knowledge-bases/${first.id}`, { body: { name: 'c' } }),
      call('PATCH', `/knowledge-bases/${second.id}`, { body: { name: 'c' } }),
    ]);
    const codes = attempts.map(({ status, body }) => (status < 300 ? 'ok' : body.code)).sort();
    expect(codes).toEqual(['name_taken', 'name_taken', 'ok']);
  });

  it('are addressed by name as long as they exist', async () => {
    const { id } = await create('staff rules / 1');
    const path = `/knowledge-bases/name:${encodeURIComponent('staff rules / 1')}`;
    expect((await call('GET', path)).body).toMatchObject({ id });
    const body = { connector: 'upload' };
    expect(await call('POST', `${path}/sources`, { body })).toMatchObject({
      status: 201,
      body: { knowledge_base: id },
    });
    const [source] = (await call('GET', `${path}/sources`)).body.data;
    expect((await call('GET', `${path}/sources/${source.id}`)).body).toMatchObject({ id: source.id });
    await call('DELETE', path);
    expect((await call('GET', path)).body.code).toBe('not_found');
  });

  it('are fed by connectors, which are listed with the shape of their configuration', async () => {
    const { data } = (await call('GET', '/connectors')).body;
    const kinds = [
      'git',
      'github',
      'google_drive',
      'http_api',
      'mysql',
      'notion',
      'postgres',
      'sitemap',
      'upload',
      'website',
    ];
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
    const of = (kind: string) => data[kinds.indexOf(kind)];
    expect(of('website')).toEqual({
      kind: 'website',
      title: 'Website',
      description: 'Pages of a site, found by following links.',
      auth: 'none',
      available: true,
      unavailable_reason: null,
      config_schema: expect.objectContaining({ type: 'object', required: ['start_urls'] }),
    });
    expect(of('postgres')).toMatchObject({
      auth: 'secret',
      config_schema: { required: ['dsn', 'query', 'key_column'] },
    });
    expect(of('notion')).toMatchObject({
      auth: 'oauth',
      available: false,
      unavailable_reason: expect.stringContaining('OAUTH_PROVIDERS'),
    });
    expect(JSON.stringify(data)).not.toMatch(/"(hints|mismatch)":/);
  });

  it('say which part of a request is wrong', async () => {
    const refused = async (body: object) => (await call('POST', '/knowledge-bases', { body })).body;
    expect(await refused({})).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] });
    expect(await refused({ name: 'x', region: 'mars' })).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/region', detail: 'region must be one of local.' }],
    });
    expect(await refused({ name: 'x', settings: { chunking: { max_token: 9 } } })).toMatchObject({
      errors: [{ pointer: '/settings/chunking/max_token', suggestion: 'Did you mean `max_tokens`?' }],
    });
    const { id } = await create();
    const region = await call('PATCH', `/knowledge-bases/${id}`, { body: { region: 'local' } });
    expect(region.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/region' }] });
  });

  it('are listed page by page, or by name', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const first = await call('GET', '/knowledge-bases?order=asc&limit=2');
    expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const rest = await call('GET', `/knowledge-bases?order=asc&limit=2&cursor=${first.body.next_cursor}`);
    expect(rest.body).toEqual({ data: [expect.objectContaining({ name: 'c' })] });
    const named = await call('GET', '/knowledge-bases?name=b');
    expect(named.body.data).toEqual([expect.objectContaining({ name: 'b' })]);
  });

  it('do not exist for another workspace', async () => {
    const { id } = await create();
    const other = await api.newTenant();
    const foreign = (method: string, path: string, body?: object) =>
      api.call(method, `/v1/knowledge-bases/${id}${path}`, { key: other.adminKey, ...(body && { body }) });
    const answers = [
      await foreign('GET', ''),
      await foreign('PATCH', '', { name: 'mine' }),
      await foreign('DELETE', ''),
      await foreign('GET', '/access'),
      await foreign('PUT', '/access', { users: ['eve@example.com'] }),
    ];
    for (const { status, body } of answers)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
    expect((await call('GET', `/knowledge-bases/${id}/access`)).body.data).toEqual([]);
  });

  describe('access', () => {
    let path: string;
    let agent: string;

    beforeEach(async () => {
      path = `/knowledge-bases/${(await create()).id}/access`;
      agent = (await call('POST', '/agents', { body: AGENT })).body.id;
    });

    it('is empty at first, and then the last list that was put, each entry once', async () => {
      const none = { users: [], groups: [], channels: [], agents: [], data: [] };
      expect((await call('GET', path)).body).toEqual(none);
      const wanted = {
        users: ['Ada@Example.com', 'ada@example.com'],
        groups: ['support'],
        channels: ['slack:C1'],
        agents: [agent],
      };
      const put = await call('PUT', path, { body: wanted });
      expect(put.body).toEqual({
        ...wanted,
        users: ['ada@example.com'],
        data: [
          ['agent', agent], ['channel', 'slack:C1'], ['group', 'support'], ['user', 'ada@example.com'],
        ].map(([type, id]) => ({ type, id, granted_at: expect.stringMatching(/Z$/), granted_by: expect.stringContaining('@') })),
      }); // prettier-ignore
      expect((await call('GET', path)).body).toEqual(put.body);
      const base = path.replace('/access', '');
      await call('POST', `${base}/sources`, { body: { connector: 'upload' } });
      expect((await call('GET', base)).body).toMatchObject({
        sources: { total: 1, syncing: 0, failing: 0, expired: 0 },
        grants: { users: 1, groups: 1, channels: 1, agents: 1 },
      });
      expect((await call('PUT', path, { body: {} })).body).toEqual(none);
    });

    it('keeps the date of a grant that stays', async () => {
      const before = (await call('PUT', path, { body: { users: ['a@x.com', 'b@x.com'] } })).body.data;
      const after = (await call('PUT', path, { body: { users: ['b@x.com', 'c@x.com'] } })).body.data;
      expect(after[0]).toEqual(before[1]);
      expect(after[1]).toMatchObject({ id: 'c@x.com' });
    });

    it('is refused as a whole where one entry is wrong', async () => {
      await call('PUT', path, { body: { users: ['a@x.com'] } });
      const body = { users: ['b@x.com', 'nobody'], channels: ['slack'], agents: [agent, UNKNOWN_AGENT] };
      const refused = await call('PUT', path, { body });
      expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_reference' } });
      const pointers = refused.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect(pointers).toEqual(['/users/1', '/channels/0', '/agents/1']);
      expect((await call('GET', path)).body.users).toEqual(['a@x.com']);
      expect((await call('PUT', path, { body: { users: 'a@x.com' } })).status).toBe(400);
    });

    it('is not overwritten by a change that was made from an older state', async () => {
      const tag = (await call('GET', path)).headers.get('etag') ?? '';
      const replaced = await call('PUT', path, { headers: { 'If-Match': tag }, body: { groups: ['a'] } });
      expect(replaced.status).toBe(200);
      const late = await call('PUT', path, { headers: { 'If-Match': tag }, body: { groups: ['b'] } });
      expect(late).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
      const now = await call('GET', path);
      expect(now.headers.get('etag')).toBe(replaced.headers.get('etag'));
      expect(now.body.groups).toEqual(['a']);
    });

    it('leaves a line in the audit log that says who could read before and who can now', async () => {
      await call('PUT', path, { body: { groups: ['a'] } });
      await call('PUT', path, { body: { groups: ['b'] } });
      const { data } = (await call('GET', '/audit-events?limit=1')).body;
      expect(data).toEqual([
        expect.objectContaining({
          action: 'knowledge_base.access',
          detail: { before: ['group a'], after: ['group b'] },
        }),
      ]);
    });
  });
});
