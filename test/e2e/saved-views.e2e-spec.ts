import type { ApiAnswer, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

describe('saved views', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let viewer: string;
  let operator: string;

  beforeAll(async () => {
    api = await sharedApi();
    tenant = await api.newTenant();
    [viewer, operator] = [await tenant.key('viewer'), await tenant.key('operator')];
  });

  afterAll(() => api.close());

  const call = (key: string, method: string, path: string, body?: object): Promise<ApiAnswer> =>
    api.call(method, `/v1/saved-views${path}`, body === undefined ? { key } : { key, body });

  const save = async (key: string, name: string, more: object = {}): Promise<ApiAnswer> =>
    call(key, 'POST', '', { screen: 'runs', name, query: 'status=failed&since=7d', ...more });

  const names = async (key: string, query = ''): Promise<string[]> =>
    (await call(key, 'GET', query)).body.data.map(({ name }: { name: string }) => name);

  it('are seen by their member only, until they are shared', async () => {
    const { status, body } = await save(operator, 'mine');
    expect([status, body]).toMatchObject([
      201,
      { screen: 'runs', name: 'mine', query: 'status=failed&since=7d', shared: false },
    ]);
    expect(await names(operator)).toContain('mine');
    expect(await names(viewer)).not.toContain('mine');
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await call(viewer, method, `/${body.id}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
    const shared = await call(operator, 'PATCH', `/${body.id}`, { shared: true });
    expect(shared).toMatchObject({ status: 200, body: { id: body.id, name: 'mine', shared: true } });
    expect(await names(viewer)).toContain('mine');
  });

  it('that are shared can be changed by operators, and by no viewer', async () => {
    const { body: view } = await save(tenant.adminKey, 'team', { shared: true });
    for (const [method, body] of [
      ['PATCH', { name: 'taken' }],
      ['DELETE', undefined],
    ] as const)
      expect(await call(viewer, method, `/${view.id}`, body)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope' },
      });
    expect(await save(viewer, 'of all', { shared: true })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    const renamed = await call(operator, 'PATCH', `/${view.id}`, { name: 'the team', query: 'status=failed' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'the team', query: 'status=failed', shared: true } });
    expect((await call(operator, 'DELETE', `/${view.id}`)).status).toBe(204);
    expect(await names(tenant.adminKey)).not.toContain('the team');
  });

  it('have a name of their own on a screen', async () => {
    expect((await save(viewer, 'twice')).status).toBe(201);
    expect(await save(viewer, 'twice')).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    expect((await save(operator, 'twice')).status).toBe(201);
    expect((await save(viewer, 'twice', { screen: 'approvals', query: 'mine=true' })).status).toBe(201);
    expect(await names(viewer, '?screen=approvals')).toEqual(['twice']);
    const { body: other } = await save(viewer, 'other');
    expect(await call(viewer, 'PATCH', `/${other.id}`, { name: 'twice' })).toMatchObject({
      body: { code: 'name_taken' },
    });
  });

  it('are at most 100 of a member', async () => {
    const own = await api.newTenant();
    await api.execute(
      `insert into saved_views (id, workspace_id, member_id, screen, name, query)
        select 'view_' || n, m.workspace_id, m.id, 'runs', 'view ' || n, '' from members m, generate_series(1, 99) n
        where m.workspace_id = '${own.workspaceId}'`,
    );
    expect((await save(own.adminKey, 'the last')).status).toBe(201);
    expect(await save(own.adminKey, 'one more')).toMatchObject({ status: 409, body: { code: 'limit_reached' } });
    expect((await save(own.adminKey, 'of all', { shared: true })).status).toBe(201);
  });

  it('are not seen by a key that is narrowed to agents', async () => {
    const { body: agent } = await api.call('POST', '/v1/agents', {
      key: tenant.adminKey,
      body: { name: 'narrow', steps: [{ id: 'a', output: 1 }] },
    });
    const wanted = { name: 'n', kind: 'live', role: 'admin', member: 'admin@example.com', agents: [agent.id] };
    const { body: made } = await api.call('POST', '/v1/api-keys', { key: tenant.adminKey, body: wanted });
    const { body: view } = await save(tenant.adminKey, 'of the admin');
    expect(await names(made.key)).toEqual([]);
    expect((await call(made.key, 'GET', `/${view.id}`)).status).toBe(404);
    expect(await save(made.key, 'narrow')).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });
});
