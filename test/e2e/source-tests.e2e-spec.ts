import { startApi, type TestApi } from '../support/api.js';
import type { TestTenant } from '../support/http-api.js';

describe('a source that is tested before it is added', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let path: string;

  beforeAll(async () => {
    api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.1/32' } });
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
    path = `/v1/knowledge-bases/${(await call('POST', '/v1/knowledge-bases', { name: 'base' })).body.id}/sources`;
  });
  afterAll(() => api.close());

  const call = (method: string, route: string, body?: object, key = tenant.adminKey) =>
    api.call(method, route, { key, body });
  const test = (config: object, connector = 'website') => call('POST', `${path}/test`, { connector, config });

  it('says why it cannot be read', async () => {
    const { status, body } = await test({ start_urls: ['http://127.0.0.1:9/'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ titles: [], error: { code: expect.stringContaining('unreachable') } });
    expect((await call('GET', path)).body.data).toEqual([]);
  });

  it('is refused like a source that is added: wrong settings, absent secrets, uploads, providers', async () => {
    expect((await test({ start_urls: ['nowhere'] })).body.errors).toMatchObject([{ pointer: '/config/start_urls/0' }]);
    const dsn = { dsn: '${{ secrets.NONE }}', query: 'select 1 as id', key_column: 'id' };
    expect((await test(dsn, 'postgres')).body).toMatchObject({ code: 'unknown_reference' });
    for (const connector of ['upload', 'notion', 'other'])
      expect((await test({}, connector)).body).toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '/connector' }],
      });
  });
});
