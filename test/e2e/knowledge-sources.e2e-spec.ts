import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const WEBSITE = {
  connector: 'website',
  config: { start_urls: ['https://docs.example.com/'], include_paths: ['/guide'] },
};

describe('sources over HTTP', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let path: string;

  beforeAll(async () => {
    api = await sharedApi();
  });
  beforeEach(async () => {
    tenant = await api.newTenant();
    path = `/knowledge-bases/${(await call('POST', '/knowledge-bases', { body: { name: 'base' } })).body.id}/sources`;
  });
  afterAll(() => api.close());

  const call = (method: string, route: string, options: CallOptions = {}) =>
    api.call(method, `/v1${route}`, { key: tenant.adminKey, ...options });
  const create = (body: object, headers: Record<string, string> = {}) => call('POST', path, { body, headers });
  const places = (errors: { pointer: string }[]) => errors.map(({ pointer }) => pointer);

  it('are added, shown, changed and deleted', async () => {
    const made = await create({ ...WEBSITE, config: { ...WEBSITE.config, schedule: 'daily' } });
    expect(made).toMatchObject({ status: 201 });
    expect(made.headers.get('location')).toBe(`/v1${path}/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^src_[0-9a-z]{26}$/),
      knowledge_base: path.split('/')[2],
      connector: 'website',
      config: {
        start_urls: ['https://docs.example.com/'], include_paths: ['/guide'], exclude_paths: [], max_pages: 10_000, max_depth: 20,
        respect_robots: true, schedule: 'daily',
      },
      status: 'pending',
      authorization: 'not_required',
      account: null,
      schedule: 'daily',
      next_sync_at: expect.stringMatching(/T00:00:00\.000Z$/),
      last_sync: null,
      document_count: 0,
      error: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    }); // prettier-ignore
    const source = `${path}/${made.body.id}`;
    expect((await call('GET', source)).body).toEqual(made.body);
    const changed = await call('PATCH', source, {
      body: { config: { include_paths: [] }, schedule: 'manual', status: 'paused' },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        status: 'paused',
        schedule: 'manual',
        next_sync_at: null,
        config: { include_paths: [], max_pages: 10_000 },
      },
    });
    expect(await call('PATCH', source, { body: { status: 'active' } })).toMatchObject({ body: { status: 'pending' } });
    expect((await call('GET', path)).body.data).toHaveLength(1);
    expect(await call('DELETE', source)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'DELETE']) expect((await call(method, source)).status).toBe(404);
    expect((await call('GET', path)).body.data).toEqual([]);
    const { body } = await call('GET', '/audit-events');
    const actions = body.data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['source.create', 'source.update', 'source.delete']));
  });

  it('are checked, with the place of every mistake', async () => {
    const wrong = await create({
      connector: 'website',
      config: { start_urls: ['ftp://x', 'https://u:p@example.com'] },
    });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(places(wrong.body.errors)).toEqual(['/config/start_urls/0', '/config/start_urls/1']);
    const misspelt = await create({ connector: 'website', config: { start_url: ['https://example.com'] } });
    expect(places(misspelt.body.errors)).toEqual(['/config/start_urls', '/config/start_url']);
    expect(misspelt.body.errors[1].suggestion).toContain('start_urls');
    expect(places((await create({ connector: 'gopher' })).body.errors)).toEqual(['/connector']);
    const schedules = [
      ['never', '/schedule'],
      [{ cron: '61 * * * *' }, '/schedule/cron'],
      [{ cron: '0 6 * * *', timezone: 'Mars' }, '/schedule/timezone'],
    ] as const;
    for (const [schedule, place] of schedules) {
      const { status, body } = await create({ connector: 'upload', schedule });
      expect([status, places(body.errors)]).toEqual([400, [place]]);
    }
    const never = await create({ connector: 'upload', schedule: 'never' });
    expect(never.body.errors[0].detail).toMatch(/manual, hourly, daily, weekly, or a cron expression such as \{"cron"/);
    expect((await call('GET', path)).body.data).toEqual([]);
  });

  it('name their secrets, and never show or hold them', async () => {
    const config = { dsn: '${{ secrets.DSN }}', query: 'select 1 as id', key_column: 'id' };
    const open = await create({ connector: 'postgres', config: { ...config, dsn: 'postgres://u:p@db.example.com/x' } });
    expect(open).toMatchObject({ status: 400, body: { errors: [{ pointer: '/config/dsn' }] } });
    expect(JSON.stringify(open.body)).not.toContain('u:p');
    const unknown = await create({ connector: 'postgres', config });
    expect(unknown).toMatchObject({
      status: 422,
      body: { code: 'unknown_reference', errors: [{ pointer: '/config/dsn' }] },
    });
    expect(unknown.body.detail).toContain('DSN');
    await call('PUT', '/secrets/DSN', { body: { value: 'postgres://db.example.com/x' } });
    const made = await create({ connector: 'postgres', config });
    expect(made).toMatchObject({ status: 201, body: { config: { dsn: '***' } } });
    const again = { ...made.body.config, key_column: 'key' };
    const changed = await call('PATCH', `${path}/${made.body.id}`, { body: { config: again } });
    expect(changed).toMatchObject({ status: 200, body: { config: { dsn: '***', key_column: 'key' } } });
    expect(
      places((await create({ connector: 'postgres', config: { ...config, query: 'drop table x' } })).body.errors),
    ).toEqual(['/config/query']);
  });

  it('with OAuth are authorised in the web app', async () => {
    for (const connector of ['google_drive', 'notion', 'github']) {
      const asked = await create({ connector });
      // No OAuth provider is configured in this test. Both the error of the request and the page at `authorize_url`
      // report this.
      expect(asked.body.detail).toContain('OAUTH_PROVIDERS');
      const led = await call('GET', new URL(asked.body.authorize_url).href.split('/v1')[1] ?? '', { key: '' });
      expect(led).toMatchObject({ status: 503, body: { detail: expect.stringContaining('OAUTH_PROVIDERS') } });
      expect(asked).toMatchObject({
        status: 422,
        body: {
          code: 'oauth_required',
          authorize_url: expect.stringContaining(`${api.url}/v1/oauth/authorize?state=`),
        },
      });
    }
  });

  it('are added once for each Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'k' };
    const [first, second] = [await create(WEBSITE, headers), await create(WEBSITE, headers)];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await create({ connector: 'upload' }, headers)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect((await call('GET', path)).body.data).toHaveLength(1);
  });

  it('belong to one base', async () => {
    const { body: source } = await create(WEBSITE);
    const other = (await call('POST', '/knowledge-bases', { body: { name: 'other' } })).body.id;
    for (const method of ['GET', 'DELETE']) {
      expect((await call(method, `/knowledge-bases/${other}/sources/${source.id}`)).status).toBe(404);
    }
    expect((await call('POST', `/knowledge-bases/${other}/sources/${source.id}/sync`)).status).toBe(404);
    expect((await call('GET', `${path}/${source.id}`)).status).toBe(200);
  });
});
