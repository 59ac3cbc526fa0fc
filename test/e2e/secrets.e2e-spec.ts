import type { JsonObject } from '@app/kernel';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };

const withSecret = (name: string, secret: string) => `name: ${name}
tools:
  - name: shop
    type: http
    base_url: https://shop.example
    auth: { type: bearer, token: "\${{ secrets.${secret} }}" }
    operations: [{ name: get, method: GET, path: / }]
steps: [{ id: a, tool: shop.get }]
`;

describe('secrets over HTTP', () => {
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
  const put = (name: string, value: unknown = 'v4lue') => call('PUT', `/secrets/${name}`, { body: { value } });
  const names = async (query = '') =>
    (await call('GET', `/secrets${query}`)).body.data.map((secret: { name: string }) => secret.name);

  it('are set, listed by creation without their values, and deleted', async () => {
    for (const name of ['B', 'A', 'C_2', 'A']) expect(await put(name)).toMatchObject({ status: 204, body: '' });
    const { body } = await call('GET', '/secrets?order=asc&limit=2');
    expect(body.data).toEqual(
      ['B', 'A'].map((name) => ({ name, created_at: expect.any(String), updated_at: expect.any(String) })),
    );
    const rest = await call('GET', `/secrets?order=asc&limit=2&cursor=${body.next_cursor}`);
    expect(rest.body).toEqual({ data: [expect.objectContaining({ name: 'C_2' })] });
    expect((await call('DELETE', '/secrets/B')).status).toBe(204);
    expect(await names()).toEqual(['C_2', 'A']);
    expect((await call('DELETE', '/secrets/B')).body.code).toBe('not_found');
  });

  it('are refused with a bad name or value, which the refusal does not repeat', async () => {
    expect((await put('no-dashes')).body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'name' }] });
    expect((await put('A', '')).body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/value' }] });
    expect((await put('A', 7)).body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/value' }] });
    const large = await put('A', 'canary-'.repeat(10_000));
    expect(large.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/value' }] });
    expect(JSON.stringify(large.body)).not.toContain('canary');
    expect((await put('A', 'x'.repeat(65_536))).status).toBe(204);
    expect((await call('DELETE', '/secrets/a%00b')).status).toBe(404);
  });

  it('belong to their workspace', async () => {
    await put('MINE');
    const { adminKey: key } = await api.newTenant();
    expect((await call('GET', '/secrets', { key })).body).toEqual({ data: [] });
    expect((await call('DELETE', '/secrets/MINE', { key })).status).toBe(404);
    expect(await names()).toEqual(['MINE']);
  });

  it('leave a line in the audit log for each change', async () => {
    await put('A', 'canary-1');
    await put('A', 'canary-2');
    await call('DELETE', '/secrets/A');
    const { body } = await call('GET', '/audit-events?order=asc');
    expect(body.data.map((event: JsonObject) => [event.action, event.target])).toEqual([
      ['secret.create', 'A'],
      ['secret.update', 'A'],
      ['secret.delete', 'A'],
    ]);
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  describe('that a definition mentions', () => {
    const create = (body: string) => call('POST', '/agents', { body, headers: YAML });

    it('need not exist when an agent is created: the answer says where one is missing and what to do', async () => {
      expect(await create(withSecret('desk', 'SHOP_TOKEN'))).toMatchObject({
        status: 201,
        body: {
          warnings: [
            {
              pointer: '/tools/0/auth/token',
              line: 6,
              column: expect.any(Number),
              suggestion: 'Set it with PUT /v1/secrets/SHOP_TOKEN.',
            },
          ],
        },
      });
      await put('SHOP_TOKEN');
      expect((await create(withSecret('desk-2', 'SHOP_TOKEN'))).body.warnings).toEqual([]);
    });

    it('need not exist when a version is created', async () => {
      await put('OLD');
      const { body: agent } = await create(withSecret('desk', 'OLD'));
      const version = (secret: string) =>
        call('POST', `/agents/${agent.id}/versions`, { body: withSecret('desk', secret), headers: YAML });
      expect(await version('OLD')).toMatchObject({ status: 200, body: { warnings: [] } });
      const missing = [{ suggestion: 'Set it with PUT /v1/secrets/NEW.' }];
      expect(await version('NEW')).toMatchObject({ status: 201, body: { warnings: missing } });
    });

    it('keep a version out of production until they are written', async () => {
      await put('OLD');
      const { body: agent } = await create(withSecret('desk', 'OLD'));
      await call('POST', `/agents/${agent.id}/versions`, { body: withSecret('desk', 'NEW'), headers: YAML });
      const promote = () => call('POST', `/agents/${agent.id}/versions/2/promote`);
      expect(await promote()).toMatchObject({
        status: 422,
        body: { code: 'unknown_reference', errors: [{ suggestion: 'Set it with PUT /v1/secrets/NEW.' }] },
      });
      await put('NEW');
      expect((await promote()).status).toBe(200);
    });

    it('are those of the own workspace', async () => {
      await put('MINE');
      const { adminKey: key } = await api.newTenant();
      const answer = await call('POST', '/agents', { key, body: withSecret('spy', 'MINE'), headers: YAML });
      expect(answer.body.warnings).toEqual([expect.objectContaining({ pointer: '/tools/0/auth/token' })]);
    });

    it('do not keep a repeated request from its answer', async () => {
      await put('TOKEN');
      const request = { body: withSecret('desk', 'TOKEN'), headers: { ...YAML, 'Idempotency-Key': 'one' } };
      const first = await call('POST', '/agents', request);
      await call('DELETE', '/secrets/TOKEN');
      expect(await call('POST', '/agents', request)).toMatchObject({ status: 201, body: first.body });
    });
  });
});
