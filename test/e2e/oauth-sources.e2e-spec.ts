import type { JsonObject } from '@app/kernel';
import { Browser } from '../support/browser.js';
import { OauthServer } from '../support/oauth-server.js';
import { type SourceAnswer, SyncScene } from '../support/sync-scene.js';

interface OauthSource extends SourceAnswer {
  connector: string;
  authorization: string;
  config: JsonObject;
}

/** The API, the worker and the OAuth server are real. A test browser follows the redirects. */
describe('sources with OAuth', () => {
  let server: OauthServer;
  let scene: SyncScene;
  let base: string;
  let address: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    server = await OauthServer.startFor(scene.stack);
    address = scene.stack.baseUrl;
    base = await scene.aBase('authorised');
  });
  beforeEach(() => server.clear());
  afterAll(async () => {
    await scene.stop();
    await server.stop();
  });

  const browser = () => new Browser(() => ({}));
  const call = async (method: 'GET' | 'POST', path: string, body?: JsonObject) => {
    const response = await fetch(`${scene.stack.baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const answered = (await response.json()) as JsonObject & { authorize_url: string };
    return { status: response.status, body: answered };
  };
  const post = (path: string, body: JsonObject) => call('POST', path, body);
  const get = (path: string) => call('GET', path);
  const add = (connector: string, config: JsonObject = {}) =>
    post(`/knowledge-bases/${base}/sources`, { connector, config });
  const sourcesOf = async (): Promise<OauthSource[]> =>
    (await scene.expect<{ data: OauthSource[] }>('GET', `/knowledge-bases/${base}/sources?limit=100`)).data;

  /** Adds a source that a person has authorised, and returns its path. */
  async function authorised(connector: string, config: JsonObject = {}): Promise<string> {
    const { body } = await add(connector, config);
    const page = await browser().open(body.authorize_url);
    const [, id] = /<code>(src_\w+)<\/code>/.exec(page.text) ?? [];
    if (id === undefined) throw new Error(`${page.url} answers ${page.status}: ${page.text}`);
    return `/knowledge-bases/${base}/sources/${id}`;
  }

  /** Makes the wiki serve these pages. The keys are ids of pages. The wiki returns two pages per response. */
  function publish(pages: Record<string, string>, changed = '1'): void {
    const all = Object.keys(pages).map((id) => ({ id, title: `Page ${id}`, kind: 'page', changed }));
    const listed = [...all, { id: 'picture', title: 'A picture', kind: 'image', changed }];
    for (const scope of ['all', 'handbook']) {
      server.json(`/spaces/${scope}/pages`, ({ searchParams }) => {
        const from = Number(searchParams.get('cursor') ?? 0);
        return { pages: listed.slice(from, from + 2), next: from + 2 < listed.length ? from + 2 : null };
      });
    }
    for (const [id, text] of Object.entries(pages))
      server.on(`/pages/${id}`, (_, __, response) => void response.end(`<p>${text}</p>`));
  }

  it('are added by the member who gives the permission, and bring all pages, then only changed ones', async () => {
    publish({ a: 'About refunds.', b: 'About returns.', c: 'About holidays.' });
    const refused = await add('wiki', { spaces: ['handbook'], schedule: 'daily' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'oauth_required' } });
    expect(refused.body.authorize_url).toMatch(new RegExp(`^${address}/v1/oauth/authorize\\?state=[\\w-]{43}$`));
    expect(await sourcesOf()).toEqual([]);

    const page = await browser().open(refused.body.authorize_url);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Our wiki is connected') });
    const [source] = await sourcesOf();
    expect(source).toMatchObject({
      connector: 'wiki',
      authorization: 'authorized',
      status: 'pending',
      config: { spaces: ['handbook'], schedule: 'daily' },
    });
    const path = `/knowledge-bases/${base}/sources/${source!.id}`;
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { seen: 3, added: 3 } });
    expect(await scene.text(path, 'a')).toBe('About refunds.');
    expect(server.asked).toContain('GET /spaces/handbook/pages?limit=2&cursor=2');

    server.clear();
    publish({ a: 'About refunds.', b: 'About returns.' });
    server.json('/spaces/handbook/pages', () => ({
      pages: [
        { id: 'a', kind: 'page', changed: '1' },
        { id: 'b', kind: 'page', changed: '2' },
      ],
      next: null,
    }));
    await scene.expect('PATCH', `/knowledge-bases/${base}`, { settings: { deletion_guard: { max_ratio: 0.5 } } });
    const second = await scene.sync(path);
    expect(second).toMatchObject({ status: 'succeeded', progress: { unchanged: 1, deleted: 1 } });
    expect(server.asked).toEqual(['GET /spaces/handbook/pages?limit=2', 'GET /pages/b']);

    server.clear();
    publish({ a: 'About refunds.', b: 'About returns.' });
    const changed = await scene.expect<OauthSource>('PATCH', path, { config: { spaces: [] } });
    expect(changed.config).toMatchObject({ spaces: [] });
    await scene.sync(path);
    expect(server.asked[0]).toBe('GET /spaces/all/pages?limit=2');
    expect((await post(`${path}/authorize`, {})).status).toBe(200);
    const wrong = await add('wiki', { folders: ['x'] });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: '/config/folders' }] } });
  });

  it('lead back to the console, and nowhere else', async () => {
    const begin = async (path: string) =>
      `${(await add('wiki')).body.authorize_url}&return_to=${encodeURIComponent(path)}`;
    const back = async (path: string) =>
      (await browser().open(await begin(path), /\/console\//)).url.slice(address.length);
    expect(await back('/console/')).toMatch(/^\/console\/\?connected=src_\w{26}$/);
    const connected = new RegExp(`^/console/knowledge/${base}\\?tab=a%20b&connected=(src_\\w{26})$`);
    const [, id] = connected.exec((await back(`/console/knowledge/${base}?tab=a%20b`)).replace('a+b', 'a%20b')) ?? [];
    expect((await sourcesOf()).map((source) => source.id)).toContain(id);

    const denied = browser();
    const begun = await begin('/console/sources');
    await denied.open(begun, /\/auth\?/);
    const state = new URL(begun).searchParams.get('state') ?? '';
    const refused = await denied.open(`${address}/v1/oauth/callback?error=access_denied&state=${state}`, /\/console\//);
    expect(refused.url).toBe(`${address}/console/sources?error=invalid_request`);
    const used = `${address}/v1/oauth/authorize?state=${state}&return_to=%2Fconsole%2Fsources`;
    expect((await browser().open(used, /\/console\//)).url).toBe(refused.url);
    // Only the browser that started the authorisation is redirected to the path of the source.
    expect(await browser().open(`${address}/v1/oauth/callback?error=access_denied&state=${state}`)).toMatchObject({
      status: 400,
    });

    const elsewhere = [
      '',
      '/',
      '/console',
      '//evil.example',
      '/console//evil.example',
      'https://evil.example/console/',
      '/\\evil.example',
      '/console/\\evil',
      '/console/../v1',
      '/console/./a',
      '/console/..',
      '/console/%2e%2e/v1',
      '/console/%2f%2fevil',
      '/console/a%0d%0ab',
      '/console/a\nb',
      '/console/\t/evil',
      ' /console/',
      '/consolex/',
      '/CONSOLE/',
      '/console/?a=%0d%0aset-cookie',
      '/console/a#b',
      `/console/${'x'.repeat(2_000)}`,
    ];
    for (const path of elsewhere) {
      const page = await browser().open(await begin(path), /\/console\//);
      expect([path, page.status]).toEqual([path, 400]);
    }
  });

  it('are not added by a state that is wrong, used, or of another browser, nor by a code that is replayed', async () => {
    const before = (await sourcesOf()).length;
    const { body } = await add('wiki');
    const victim = browser();
    const callback = await victim.open(body.authorize_url, /\/v1\/oauth\/callback/);
    expect(callback.url).toContain('code=');

    expect(await browser().open(`${address}/v1/oauth/callback?code=x&state=${'x'.repeat(43)}`)).toMatchObject({
      status: 400,
    });
    expect(await browser().open(callback.url)).toMatchObject({
      status: 400,
      text: expect.stringContaining('another browser'),
    });
    // The failed attempt has used up the `state`, which is valid only once.
    expect(await victim.open(callback.url)).toMatchObject({ status: 400 });

    const second = (await add('wiki')).body.authorize_url;
    const own = browser();
    const fresh = await own.open(second, /\/v1\/oauth\/callback/);
    expect((await own.open(fresh.url)).status).toBe(200);
    expect((await own.open(fresh.url)).status).toBe(400);
    // The request combines the code of one authorisation with the `state` of another. Both PKCE and the provider reject
    // this.
    const third = browser();
    const other = new URL((await third.open((await add('wiki')).body.authorize_url, /\/v1\/oauth\/callback/)).url);
    other.searchParams.set('code', new URL(fresh.url).searchParams.get('code') ?? '');
    expect(await third.open(other.href)).toMatchObject({ status: 400, text: expect.stringContaining('invalid_grant') });
    expect(await sourcesOf()).toHaveLength(before + 1);
  });

  it('are not added without the permission, by an impostor of the provider, or after the time limit', async () => {
    const before = (await sourcesOf()).length;
    const denied = browser();
    const state = new URL((await add('wiki')).body.authorize_url).searchParams.get('state') ?? '';
    await denied.open(`${address}/v1/oauth/authorize?state=${state}`, /\/auth\?/);
    const back = await denied.open(`${address}/v1/oauth/callback?error=access_denied&state=${state}`);
    expect(back).toMatchObject({ status: 400, text: expect.stringContaining('access_denied') });
    const mixedUp = await browser().open((await add('impostor')).body.authorize_url);
    expect(mixedUp).toMatchObject({ status: 400, text: expect.stringContaining('does not come from') });
    const late = (await add('wiki')).body.authorize_url;
    await scene.stack.query(
      `update knowledge_authorizations set expires_at = clock_timestamp() - interval '1 second' where workspace_id = $1`,
      [scene.stack.workspaceId],
    );
    expect(await browser().open(late)).toMatchObject({ status: 400, text: expect.stringContaining('expired') });
    expect(await sourcesOf()).toHaveLength(before);
  });

  it('reach no private network for their tokens', async () => {
    const page = await browser().open((await add('inside')).body.authorize_url);
    expect(page).toMatchObject({ status: 503, text: expect.stringContaining('address is not public') });
  });

  it('have their access renewed when it has expired, once for all that ask at the same time', async () => {
    publish({ a: 'About refunds.', b: 'About returns.', c: 'About holidays.', d: 'About pay.' });
    const path = await authorised('wiki');
    await scene.sync(path);
    await server.expireAccess();
    publish({ a: 'New.', b: 'New.', c: 'New.', d: 'New.' }, '2');
    server.grants.length = 0;
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { updated: 4 } });
    expect(server.grants).toEqual(['refresh_token ok']);

    // The provider reported an expiry time, so the token is refreshed before the next request.
    await scene.stack.query('update knowledge_source_tokens set expires_at = clock_timestamp() where source_id = $1', [
      path.split('/').at(-1),
    ]);
    server.asked.length = 0;
    await scene.sync(path);
    expect(server.grants).toEqual(['refresh_token ok', 'refresh_token ok']);
    expect(server.asked.filter((line) => line.startsWith('401'))).toEqual([]);

    // The token expires during a sync, while four documents are fetched.
    publish({ a: 'Newer.', b: 'Newer.', c: 'Newer.', d: 'Newer.' }, '3');
    server.grants.length = 0;
    const list = () => ({ pages: ['a', 'b', 'c', 'd'].map((id) => ({ id, kind: 'page', changed: '3' })), next: null });
    server.json('/spaces/all/pages', () => {
      void server.expireAccess();
      return list();
    });
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { updated: 4, failed: 0 } });
    expect(server.grants).toEqual(['refresh_token ok']);
  });

  it('report a revoked permission, keep the index, and continue after a new authorisation', async () => {
    publish({ a: 'About refunds.' });
    const path = await authorised('wiki');
    await scene.sync(path);
    await server.revoke();
    const revoked = await scene.sync(path);
    expect(revoked).toMatchObject({
      status: 'failed',
      error: { code: 'authorization_revoked' },
      progress: { deleted: 0 },
    });
    const source = await scene.expect<OauthSource>('GET', path);
    expect(source).toMatchObject({ status: 'error', authorization: 'expired', document_count: 1 });
    expect(source.error?.message).toContain('Our wiki no longer accepts the authorisation of this source');
    expect(await scene.titles(path)).toEqual(['Page a']);

    const { authorize_url } = await scene.expect<{ authorize_url: string }>('POST', `${path}/authorize`, {});
    expect((await browser().open(authorize_url)).text).toContain(path.split('/').at(-1));
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { unchanged: 1 } });
    expect(await scene.expect('GET', path)).toMatchObject({ status: 'active', authorization: 'authorized' });
  });

  it('show whose account they read, also in the audit log', async () => {
    const path = await authorised('wiki');
    expect(await scene.expect('GET', path)).toMatchObject({ authorization: 'authorized', account: 'ada' });
    const id = path.split('/').at(-1) ?? '';
    const noted = `select detail from audit_events where target = $1 and action = 'source.create'`;
    const people = { requested_by: 'admin@example.com', authorized_by: null };
    expect(await scene.stack.query(noted, [id])).toMatchObject([{ detail: { account: 'ada', ...people } }]);
  });

  it('keep their tokens sealed, and lose them with the source', async () => {
    publish({ a: 'About refunds.' });
    const path = await authorised('wiki');
    const id = path.split('/').at(-1);
    const rows = await scene.stack.query<{ row: string }>(
      'select t::text as row from knowledge_source_tokens t where source_id = $1',
      [id],
    );
    const [before] = rows;
    expect(before?.row).toMatch(/\\\\x01[0-9a-f]{100,}/);
    await scene.expect('DELETE', path);
    expect(await scene.stack.query('select 1 from knowledge_source_tokens where source_id = $1', [id])).toEqual([]);
  });

  it('of Google Drive are read folder by folder, its own formats by export', async () => {
    const file = (id: string, name: string, mimeType: string) => ({
      id,
      name,
      mimeType,
      webViewLink: `https://drive.example/${id}`,
      modifiedTime: '1',
    });
    server.json('/google/files', ({ searchParams }) => {
      const q = searchParams.get('q') ?? '';
      if (q.startsWith("'inner'")) return { files: [file('n', 'Notes.md', 'text/markdown')] };
      if (searchParams.get('pageToken') === 'p2')
        return { files: [file('d', 'Plan', 'application/vnd.google-apps.document')] };
      const files = [file('inner', 'Inner', 'application/vnd.google-apps.folder'), file('i', 'a.png', 'image/png')];
      return { files: q === "'root' in parents and trashed = false" ? files : [], nextPageToken: 'p2' };
    });
    server.on(
      '/google/files/d/export',
      (url, _, response) =>
        void response.end(url.searchParams.get('mimeType') === 'text/html' ? '<h1>Plan</h1><p>What we do.</p>' : ''),
    );
    server.on('/google/files/n', (_, __, response) => void response.end('# Notes\n\nNotes of the meeting.'));
    const path = await authorised('google_drive');
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { seen: 2, added: 2 } });
    expect(await scene.titles(path)).toEqual(['Notes.md', 'Plan']);
    expect(await scene.text(path, 'd')).toContain('# Plan');
    expect(server.asked.filter((line) => line.includes('/files?'))).toHaveLength(3);
  });

  it('of Notion are read by search or by data source, as Markdown', async () => {
    const id = '3c90c3cc-0d44-4b50-8888-8dd25736052a';
    const page = {
      object: 'page',
      id,
      url: `https://notion.example/${id}`,
      last_edited_time: '1',
      properties: { Name: { title: [{ plain_text: 'Meeting ' }, { plain_text: 'notes' }] } },
    };
    for (const list of ['/notion/search', `/notion/data_sources/${id}/query`])
      server.json(list, (_, { method }) => ({ results: method === 'POST' ? [page] : [], next_cursor: null }));
    server.json(`/notion/pages/${id}/markdown`, () => ({
      object: 'page_markdown',
      markdown: '# Agenda\n\nAll of it.',
    }));
    const path = await authorised('notion');
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { added: 1 } });
    expect(await scene.titles(path)).toEqual(['Meeting notes']);
    expect(await scene.text(path, id)).toContain('All of it.');
    await scene.expect('PATCH', path, { config: { data_sources: [id] } });
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { unchanged: 1 } });
    expect(server.asked.at(-1)).toBe(`POST /notion/data_sources/${id}/query`);
  });

  it('of GitHub are the readable files of the repositories that it names', async () => {
    const blob = (path: string, sha: string) => ({ path, sha, type: 'blob' });
    server.json('/github/repos/acme/handbook/git/trees/HEAD', () => ({
      tree: [{ path: 'docs', sha: 't', type: 'tree' }, blob('docs/a.md', 's1'), blob('main.c', 's2')],
      truncated: false,
    }));
    server.on(
      '/github/repos/acme/handbook/git/blobs/s1',
      (_, request, response) =>
        void response.end(
          request.headers.accept === 'application/vnd.github.raw+json' ? '# Refunds\n\nWithin 30 days.' : '',
        ),
    );
    const path = await authorised('github');
    const unsaid = await scene.sync(path);
    expect(unsaid).toMatchObject({
      status: 'failed',
      error: { code: 'scope_missing', message: expect.stringContaining('repositories') },
    });
    const wrong = await fetch(`${scene.stack.baseUrl}/v1${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: '{"config": {"repositories": ["../../admin"]}}',
    });
    expect(wrong.status).toBe(400);
    await scene.expect('PATCH', path, { config: { repositories: ['acme/handbook'] } });
    expect(await scene.sync(path)).toMatchObject({ status: 'succeeded', progress: { seen: 1, added: 1 } });
    expect(await scene.text(path, 'acme/handbook/docs/a.md')).toContain('Within 30 days.');
    await scene.expect('PATCH', path, { config: { repositories: ['acme/gone'] } });
    expect(await scene.sync(path)).toMatchObject({
      status: 'failed',
      error: { code: 'scope_missing' },
      progress: { deleted: 0 },
    });
    expect(await scene.titles(path)).toEqual(['Refunds']);
  });

  it('list what they can be restricted to, page by page, until the permission is revoked', async () => {
    server.json('/google/files', ({ searchParams }) =>
      searchParams.get('pageToken') === null
        ? { files: [{ id: 'f1', name: 'Handbook' }], nextPageToken: 'p2' }
        : { files: [{ id: 'f2' }, { id: 'not an id', name: 'x' }] },
    );
    const id = '3c90c3cc-0d44-4b50-8888-8dd25736052a';
    server.json('/notion/search', () => ({ results: [{ id, title: [{ plain_text: 'Tasks' }] }], next_cursor: null }));
    server.on('/github/user/repos', (url, _, response) => {
      const names = url.searchParams.has('page') ? ['acme/site'] : ['acme/handbook'];
      const link = url.searchParams.has('page') ? {} : { link: `<${url.href}&page=2>; rel="next"` };
      const repositories = names.map((name) => ({ full_name: name }));
      response.writeHead(200, { 'content-type': 'application/json', ...link }).end(JSON.stringify(repositories));
    });
    const drive = await authorised('google_drive');
    expect(await scene.expect('GET', `${drive}/scopes`)).toEqual({
      field: 'folders',
      data: [
        { id: 'f1', title: 'Handbook' },
        { id: 'f2', title: 'f2' },
      ],
      is_complete: true,
    });
    expect(await scene.expect('GET', `${await authorised('notion')}/scopes`)).toEqual({
      field: 'data_sources',
      data: [{ id, title: 'Tasks' }],
      is_complete: true,
    });
    const github = await authorised('github');
    expect(await scene.expect('GET', `${github}/scopes`)).toEqual({
      field: 'repositories',
      data: ['acme/handbook', 'acme/site'].map((name) => ({ id: name, title: name })),
      is_complete: true,
    });
    const unlisted = { field: null, data: [], is_complete: true };
    expect(await scene.expect('GET', `${await authorised('flat')}/scopes`)).toEqual(unlisted);

    server.clear();
    expect((await get(`${github}/scopes`)).status).toBe(503);
    await server.revoke();
    const revoked = await get(`${github}/scopes`);
    expect(revoked).toMatchObject({ status: 422, body: { code: 'oauth_required' } });
    expect((await browser().open(revoked.body.authorize_url)).text).toContain(github.split('/').at(-1));
  });
});
