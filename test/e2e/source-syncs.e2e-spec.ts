import { Client, Pool } from 'pg';
import { eventually } from '../support/eventually.js';
import { createEmptyTestDatabase } from '../support/postgres.js';
import { type SyncAnswer, SyncScene } from '../support/sync-scene.js';
import { aPage, redirect, SiteServer } from '../support/site-server.js';

/** The API and the worker are real. They read from a real Postgres, web site and JSON API. */
describe('sources', () => {
  let scene: SyncScene;
  let base: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    base = await scene.aBase('sources');
  });
  beforeEach(() => scene.site.clear());
  afterAll(() => scene.stop());

  const secret = (name: string, value: string) =>
    fetch(`${scene.stack.baseUrl}/v1/secrets/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });

  /**
   * Sends a request, and repeats it while the response is 503. This happens if a sync keeps its source locked for too
   * long, for example.
   */
  const patiently = (send: () => Promise<Response>): Promise<Response> =>
    eventually(async () => {
      const response = await send();
      expect(response.status).not.toBe(503);
      return response;
    });

  const raw = (method: string, path: string, body?: Uint8Array | string, type?: string) =>
    patiently(() =>
      fetch(`${scene.stack.baseUrl}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${scene.stack.adminKey}`, ...(type && { 'content-type': type }) },
        body,
      }),
    );

  describe('of the connector upload', () => {
    it('index what is pushed, replace what is pushed again, and delete what is removed at once', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      const pushed = await raw(
        'POST',
        `${source}/documents?name=refunds.md`,
        '# Refunds\n\nWithin 30 days.',
        'text/markdown',
      );
      expect(pushed.status).toBe(202);
      expect(pushed.headers.get('location')).toMatch(/\/syncs\/syn_/);
      await raw('POST', `${source}/documents?name=page.html`, '<title>Page</title><p>Some <b>words</b>', 'text/html');
      await eventually(async () => expect(await scene.titles(source)).toEqual(['Page', 'Refunds']));
      expect(await scene.text(source, 'page.html')).toBe('Some words');

      await raw('POST', `${source}/documents?name=refunds.md`, '# Refunds\n\nWithin 60 days.', 'text/markdown');
      const changed = async () => expect(await scene.text(source, 'refunds.md')).toContain('60 days');
      await eventually(changed);
      expect((await raw('DELETE', `${source}/documents?name=page.html`)).status).toBe(204);
      expect(await scene.titles(source)).toEqual(['Refunds']);
      expect((await raw('DELETE', `${source}/documents?name=page.html`)).status).toBe(404);
      expect((await raw('DELETE', `${source}/documents`)).status).toBe(400);
      expect(await scene.source(source)).toMatchObject({ document_count: 1 });
    });

    it('take the files of a form, each by its type, as large as one may be', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      const send = (form: FormData) =>
        patiently(() =>
          fetch(`${scene.stack.baseUrl}/v1${source}/documents`, {
            method: 'POST',
            headers: { authorization: `Bearer ${scene.stack.adminKey}` },
            body: form,
          }),
        );
      const form = new FormData();
      form.append(
        'files',
        new Blob(['# Refunds\n\nWithin 30 days.'], { type: 'text/markdown' }),
        'handbook/refunds.md',
      );
      form.append('files', new Blob(['<title>Page</title><p>Words']), 'page.html');
      for (let n = 0; n < 4; n++)
        form.append(
          'more',
          new Blob([`Letter ${n}. `.repeat(n === 0 ? 50_000 : 50)], { type: 'text/plain' }),
          `${n}.txt`,
        );
      const pushed = await send(form);
      expect([pushed.status, pushed.headers.get('location')]).toEqual([202, expect.stringMatching(/\/syncs\/syn_/)]);
      const all = ['0.txt', '1.txt', '2.txt', '3.txt', 'Page', 'Refunds'];
      await eventually(async () => expect(await scene.titles(source)).toEqual(all));
      expect(await scene.text(source, 'handbook/refunds.md')).toContain('30 days');

      const partly = new FormData();
      partly.append('a', new Blob(['Fine.'], { type: 'text/plain' }), 'fine.txt');
      partly.append('b', new Blob(['PNG'], { type: 'image/png' }), 'a.png');
      const refused = await send(partly);
      expect(refused.status).toBe(415);
      expect(await refused.json()).toMatchObject({ code: 'unsupported_media_type', kept: ['fine.txt'] });
      const large = new FormData();
      large.append('a', new Blob([Buffer.alloc(50 * 1024 * 1024 + 1, 'x')], { type: 'text/plain' }), 'a.txt');
      expect((await send(large)).status).toBe(413);
      const many = new FormData();
      for (let n = 0; n <= 100; n++) many.append('a', new Blob(['x'], { type: 'text/plain' }), `many-${n}.txt`);
      expect((await send(many)).status).toBe(413);
      const field = new FormData();
      field.append('title', 'x');
      expect((await send(field)).status).toBe(400);
      expect((await send(new FormData())).status).toBe(400);
      const broken = ['--x\r\ncontent-disposition: form-data; name="a"; filename="a.txt"\r\n\r\nno end', '--y--', ''];
      for (const body of broken) {
        expect((await raw('POST', `${source}/documents`, body, 'multipart/form-data; boundary=x')).status).toBe(400);
      }
      expect((await raw('POST', `${source}/documents`, 'x', 'multipart/form-data')).status).toBe(400);
    });

    it('refuse what cannot be read, and what is larger than 50 MiB', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      expect((await raw('POST', `${source}/documents?name=a.png`, 'x', 'image/png')).status).toBe(415);
      expect((await raw('POST', `${source}/documents`, 'x', 'text/plain')).status).toBe(400);
      const large = Buffer.alloc(50 * 1024 * 1024 + 1, 'x');
      expect((await raw('POST', `${source}/documents?name=a.txt`, large, 'text/plain')).status).toBe(413);
      const site = await scene.aSource(base, { connector: 'website', config: { start_urls: [scene.site.url] } });
      expect((await raw('POST', `${site}/documents?name=a.txt`, 'x', 'text/plain')).status).toBe(400);
    });

    it('count what is pushed after a sync has passed it in that sync, which is the one that the push names', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      const push = (name: string, text: string) =>
        raw('POST', `${source}/documents?name=${name}`, text, 'text/markdown').then(syncOf);
      const syncOf = async (answer: Response) => ((await answer.json()) as { id: string }).id;
      await scene.ended(`${source}/syncs/${await push('b.md', '# B')}`);

      const counted = async (name: string, text: string) => {
        const client = new Client({ connectionString: scene.databaseUrl });
        await client.connect();
        // The worker fetches the documents, and then waits for this lock before it records its progress.
        await client.query('begin; lock table knowledge_documents in share mode');
        const { id } = await scene.expect<{ id: string }>('POST', `${source}/sync`);
        await scene.waiting(1);
        const pushed = push(name, text);
        await scene.waiting(2);
        await client.query('rollback');
        await client.end();
        expect(await pushed).toBe(id);
        const { status, progress } = await scene.ended(`${source}/syncs/${id}`);
        expect(await scene.source(source)).toMatchObject({ status: 'active', last_sync: { id } });
        return { status, ...progress };
      };

      const added = {
        status: 'succeeded',
        seen: 2,
        added: 1,
        updated: 0,
        unchanged: 1,
        deleted: 0,
        failed: 0,
        total: 2,
      };
      expect(await counted('a.md', '# A')).toEqual(added);
      const updated = { ...added, seen: 3, added: 0, updated: 1, unchanged: 2, total: 3 };
      expect(await counted('b.md', '# B, changed')).toEqual(updated);
      expect(await scene.titles(source)).toEqual(['A', 'B, changed']);
    });

    it('are read again where an earlier version of the reader made their text', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      const page = '<title>Page</title><pre># no heading\nmake</pre>';
      const answer = await raw('POST', `${source}/documents?name=page.html`, page, 'text/html');
      await scene.ended(`${source}/syncs/${((await answer.json()) as { id: string }).id}`);
      const text = await scene.text(source, 'page.html');
      const read = `from knowledge_documents d where d.source_id = '${source.split('/').at(-1) ?? ''}'`;
      await scene.stack.query(
        `update knowledge_texts set body = '# no heading' where document_id in (select d.id ${read})`,
      );
      expect(await scene.sync(source)).toMatchObject({ progress: { unchanged: 1, updated: 0 } });
      await scene.stack.query(`update knowledge_documents set read_version = null where id in (select d.id ${read})`);
      expect(await scene.sync(source)).toMatchObject({ progress: { unchanged: 0, updated: 1 } });
      expect(await scene.text(source, 'page.html')).toBe(text);
      expect(await scene.sync(source)).toMatchObject({ progress: { unchanged: 1, updated: 0 } });
    });

    it('report documents with bytes that are invalid in their encoding', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      const text = Buffer.concat([Buffer.from('A long text. '.repeat(50)), Buffer.from([0xff])]);
      const answer = await raw('POST', `${source}/documents?name=damaged.txt`, text, 'text/plain; charset=utf-8');
      // A later sync finds the document unchanged, and reports nothing.
      expect(await scene.ended(`${source}/syncs/${((await answer.json()) as { id: string }).id}`)).toMatchObject({
        status: 'completed_with_errors',
        error: { code: 'characters_replaced' },
        progress: { failed: 0 },
      });
    });

    it('list a document that is broken, and have the others', async () => {
      const source = await scene.aSource(base, { connector: 'upload' });
      await raw('POST', `${source}/documents?name=fine.txt`, 'All is well.', 'text/plain');
      await raw('POST', `${source}/documents?name=broken.docx`, 'no zip', 'application/octet-stream');
      const look = async () => {
        const sync = await scene.sync(source);
        expect(sync).toMatchObject({
          status: 'completed_with_errors',
          failures: [{ key: 'broken.docx', code: 'document_unreadable' }],
        });
      };
      await eventually(look);
      expect(await scene.titles(source)).toEqual(['fine.txt']);
    });
  });

  describe('of the connector postgres', () => {
    let theirs: Pool;
    const query = async (...statements: string[]): Promise<void> => {
      for (const statement of statements) await theirs.query(statement);
    };
    const aTable = (name: string, rows: number) =>
      query(
        `create schema if not exists theirs`,
        `create table theirs.${name} (id integer primary key, headline text, body text, changed timestamptz default clock_timestamp())`,
        `insert into theirs.${name} (id, headline, body) select n, 'Article ' || n, 'What article ' || n || ' says.' from generate_series(1, ${rows}) n`,
      );
    const config = (table: string) => ({
      dsn: '${{ secrets.THEIR_DSN }}',
      query: `select id, headline, body, changed from theirs.${table};`,
      key_column: 'id',
      title_column: 'headline',
      updated_at_column: 'changed',
    });

    beforeAll(async () => {
      const { url } = await createEmptyTestDatabase();
      theirs = new Pool({ connectionString: url, max: 1 });
      await secret('THEIR_DSN', url);
      await secret('WRONG_DSN', url.replace(/\/\/[^@]*@/, '//unknown:wrong@'));
    });
    afterAll(() => theirs.end());

    it('bring the rows of a query, then only those that have changed, and delete what is gone', async () => {
      await aTable('articles', 450);
      const source = await scene.aSource(base, { connector: 'postgres', config: config('articles') });
      expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { seen: 450, added: 450 } });
      expect(await scene.text(source, '7')).toBe('What article 7 says.');
      await query(
        `update theirs.articles set body = 'Something else.', changed = clock_timestamp() where id = 7`,
        `delete from theirs.articles where id = 8`,
        `insert into theirs.articles (id, headline, body) values (1000, 'New', 'What is new.')`,
      );
      const second = await scene.sync(source);
      expect(second).toMatchObject({
        status: 'succeeded',
        progress: { added: 1, updated: 1, deleted: 1, unchanged: 448 },
      });
      expect(await scene.text(source, '7')).toBe('Something else.');
      expect(await scene.titles(source)).not.toContain('Article 8');
    });

    it('continue after the last recorded rows when their worker is killed, and count every row once', async () => {
      await aTable('many', 500);
      // The keys of the rows are texts, whose order depends on the collation of the database.
      const query_ = `select 'Row-' || id as id, headline, repeat(body || ' ', 40) as body, changed from theirs.many`;
      const source = await scene.aSource(base, {
        connector: 'postgres',
        config: { ...config('many'), query: query_, updated_at_column: null },
      });
      const id = await scene.killedBefore(source, 'Row-99');
      const { progress } = await scene.expect<SyncAnswer>('GET', `${source}/syncs/${id}`);
      expect(progress.seen).toBeGreaterThan(0);
      expect(progress.seen).toBeLessThan(500);
      // The new row sorts before all rows that were read, so only a sync that starts from the beginning finds it.
      await query(`insert into theirs.many (id, headline, body) values (0, 'First', 'Ahead of all.')`);
      await scene.stack.addWorker();
      expect(await scene.ended(`${source}/syncs/${id}`)).toMatchObject({
        status: 'succeeded',
        progress: { seen: 500, added: 500, updated: 0, unchanged: 0, deleted: 0 },
      });
      expect(await scene.source(source)).toMatchObject({ document_count: 500 });
      expect(await scene.sync(source)).toMatchObject({ progress: { seen: 501, added: 1, unchanged: 500 } });
    });

    it('look at all rows again where the keys have no order, and still count every row once', async () => {
      await aTable('unordered', 500);
      const query_ = `select to_json(id) as id, headline, repeat(body || ' ', 40) as body, changed from theirs.unordered`;
      const source = await scene.aSource(base, {
        connector: 'postgres',
        config: { ...config('unordered'), query: query_ },
      });
      const id = await scene.killedBefore(source, '500');
      const { progress } = await scene.expect<SyncAnswer>('GET', `${source}/syncs/${id}`);
      expect(progress.seen).toBeGreaterThan(0);
      await scene.stack.addWorker();
      expect(await scene.ended(`${source}/syncs/${id}`)).toMatchObject({
        status: 'succeeded',
        progress: { seen: 500, added: 500, unchanged: 0 },
      });
    });

    it('read every row again when the settings of the documents change', async () => {
      await aTable('told', 3);
      const source = await scene.aSource(base, { connector: 'postgres', config: config('told') });
      expect(await scene.sync(source)).toMatchObject({ progress: { added: 3 } });
      expect(await scene.text(source, '1')).toBe('What article 1 says.');
      await scene.expect('PATCH', source, { config: { text_columns: ['headline'] } });
      expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { updated: 3, unchanged: 0 } });
      expect(await scene.text(source, '1')).toBe('Article 1');
      expect(await scene.sync(source)).toMatchObject({ progress: { unchanged: 3 } });
    });

    it('say what is wrong, and keep what is indexed, when the table has vanished or the credentials are wrong', async () => {
      await aTable('vanishing', 3);
      const source = await scene.aSource(base, { connector: 'postgres', config: config('vanishing') });
      await scene.sync(source);
      await query('drop table theirs.vanishing');
      const vanished = await scene.sync(source);
      expect(vanished).toMatchObject({
        status: 'failed',
        error: { code: 'query_failed', message: expect.stringContaining('vanishing') },
      });
      await query('create table theirs.vanishing (id integer, headline text, body text, changed timestamptz)');
      expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'empty_enumeration' } });
      await scene.expect('PATCH', source, { config: { dsn: '${{ secrets.WRONG_DSN }}' } });
      const refused = await scene.sync(source);
      expect(refused).toMatchObject({ status: 'failed', error: { code: 'access_denied' } });
      expect(JSON.stringify(refused)).not.toContain('wrong@');
      expect(await scene.titles(source)).toHaveLength(3);
    });

    it('list a row that is longer than any document may be, keep what is indexed of it, and have the others', async () => {
      await aTable('long', 3);
      const source = await scene.aSource(base, { connector: 'postgres', config: config('long') });
      await scene.sync(source);
      const longer = `update theirs.long set body = repeat('word ', 3300000), changed = clock_timestamp() where id = 2`;
      await query(longer, `insert into theirs.long (id, headline, body) values (4, 'New', 'What is new.')`);
      const sync = await scene.sync(source);
      expect(sync).toMatchObject({ status: 'completed_with_errors', progress: { added: 1, failed: 1, deleted: 0 } });
      expect(sync.failures).toMatchObject([{ key: '2', code: 'document_too_large' }]);
      expect(await scene.text(source, '2')).toBe('What article 2 says.');
    });

    it('cannot write, whatever the query says', async () => {
      await aTable('precious', 1);
      const writing = {
        ...config('precious'),
        updated_at_column: null,
        query: 'with gone as (delete from theirs.precious returning *) select * from gone',
      };
      const source = await scene.aSource(base, { connector: 'postgres', config: writing });
      expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'query_failed' } });
      const two = {
        ...writing,
        query: 'select 1 as id) as x; commit; delete from theirs.precious; select * from (select 1 as id',
      };
      await expect(scene.aSource(base, { connector: 'postgres', config: two })).rejects.toThrow(/answered 400/);
      expect((await theirs.query('select id from theirs.precious')).rows).toHaveLength(1);
    });
  });

  it('of the connector http_api are read page by page, with their key', async () => {
    const stranger = await SiteServer.start();
    await secret('API_KEY', 'let-me-in');
    const answer = (ids: number[], next: string | null) => ({
      data: { items: ids.map((id) => ({ id, name: `Item ${id}`, text: `**Item** ${id}` })), next },
    });
    const pages: Record<string, object> = { '/items': answer([1, 2], 'b'), '/items?cursor=b': answer([3], null) };
    for (const [path, page] of Object.entries(pages)) {
      scene.site.set(path, (request, response) => {
        const isAllowed = request.headers.authorization === 'Bearer let-me-in';
        response
          .writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
          .end(JSON.stringify(isAllowed ? page : {}));
      });
    }
    const config = {
      base_url: `${scene.site.url}/items`,
      auth: { type: 'bearer', secret: '${{ secrets.API_KEY }}' },
      items_pointer: '/data/items',
      next_pointer: '/data/next',
      next_parameter: 'cursor',
      key_pointer: '/id',
      title_pointer: '/name',
      text_pointer: '/text',
    };
    const source = await scene.aSource(base, { connector: 'http_api', config });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { seen: 3, added: 3 } });
    expect(await scene.titles(source)).toEqual(['Item 1', 'Item 2', 'Item 3']);
    expect(JSON.stringify(await scene.source(source))).not.toContain('API_KEY');

    scene.site.set('/moved', redirect('/items'));
    scene.site.set('/moved?cursor=b', redirect('/items?cursor=b'));
    await scene.expect('PATCH', source, { config: { base_url: `${scene.site.url}/moved` } });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { unchanged: 3 } });
    // The redirect leads to another origin. The service must follow it without sending the API key.
    scene.site.set('/moved', redirect(`${stranger.url}/items`));
    const asked: (string | undefined)[] = [];
    stranger.set('/items', ({ headers }, response) => {
      asked.push(headers.authorization);
      response.writeHead(401).end();
    });
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'access_denied' } });
    expect(asked).toEqual([undefined]);
    await stranger.stop();
    await scene.expect('PATCH', source, { config: { base_url: `${scene.site.url}/items` } });
    pages['/items?cursor=b'] = {};
    scene.site.set('/items?cursor=b', { body: '{"data": {}}', type: 'application/json' });
    expect(await scene.sync(source)).toMatchObject({
      status: 'failed',
      error: { code: 'bad_answer' },
      progress: { deleted: 0 },
    });
    await secret('API_KEY', 'wrong');
    const refused = async () => expect(await scene.sync(source)).toMatchObject({ error: { code: 'access_denied' } });
    await eventually(refused);
    expect(await scene.titles(source)).toHaveLength(3);
  });

  it('of the connector http_api continue after the last recorded page when their worker is killed', async () => {
    await secret('QUERY_KEY', 'let-me-in');
    const asked: string[] = [];
    const pages = 30;
    for (let n = 1; n <= pages; n++) {
      // Like some APIs, this one repeats the API key of the request in its links.
      const next = n < pages ? `${scene.site.url}/feed?page=${n + 1}&api_key=let-me-in` : null;
      const body = JSON.stringify({
        items: [...(n === 1 ? [{ text: 'No id.' }] : []), { id: n, text: `Item ${n}` }],
        next,
      });
      scene.site.set(n === 1 ? '/feed?api_key=let-me-in' : `/feed?page=${n}&api_key=let-me-in`, (_, response) => {
        asked.push(String(n));
        setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), 50);
      });
    }
    const config = {
      base_url: `${scene.site.url}/feed`,
      auth: { type: 'query', name: 'api_key', secret: '${{ secrets.QUERY_KEY }}' },
      items_pointer: '/items',
      next_pointer: '/next',
      key_pointer: '/id',
      text_pointer: '/text',
    };
    const source = await scene.aSource(base, { connector: 'http_api', config });
    const { id } = await scene.expect<{ id: string }>('POST', `${source}/sync`);
    const look = async () => expect((await scene.source(source)).last_sync?.progress.seen).toBeGreaterThan(5);
    await eventually(look);
    const [worker] = scene.stack.workers.splice(0);
    await worker!.kill();
    const [row] = await scene.stack.query<{ row: string }>(
      'select s::text as row from knowledge_syncs s where id = $1',
      [id],
    );
    expect(row?.row).toContain('/feed?page=');
    expect(row?.row).not.toContain('let-me-in');
    await scene.stack.addWorker();
    // The killed worker had found an item without a key. After another worker has taken over the sync, this error
    // still counts, and prevents all deletions.
    expect(await scene.ended(`${source}/syncs/${id}`)).toMatchObject({
      status: 'completed_with_errors',
      error: { code: 'key_missing' },
      progress: { seen: pages },
    });
    expect(asked.length).toBeLessThan(pages + 3);
    expect(await scene.titles(source)).toHaveLength(pages);
  });

  it('of the connector sitemap are the pages that it names, and those that its sitemaps name', async () => {
    const urls = (paths: string[]) => paths.map((path) => `<url><loc>${scene.site.url}${path}</loc></url>`).join('');
    const set = (path: string, body: string) => scene.site.set(path, { body, type: 'application/xml' });
    set('/index.xml', `<sitemapindex><sitemap><loc>${scene.site.url}/a.xml</loc></sitemap></sitemapindex>`);
    set('/a.xml', `<?xml version="1.0"?><urlset>${urls(['/one', '/two', '/gone'])}</urlset>`);
    scene.site.set('/one', aPage('One', 'The first.', ['/other']));
    scene.site.set('/two', aPage('Two', 'The second.'));
    scene.site.set('/other', aPage('Other', 'Not in the sitemap.'));
    const sitemap_urls = [`${scene.site.url}/index.xml`];
    const source = await scene.aSource(base, { connector: 'sitemap', config: { sitemap_urls } });
    const missing = (path: string) => ({ key: `${scene.site.url}${path}`, code: 'page_missing' });
    const failures = [missing('/gone')];
    const first = { status: 'completed_with_errors', progress: { added: 2, failed: 1 }, failures };
    expect(await scene.sync(source)).toMatchObject(first);
    expect(await scene.titles(source)).toEqual(['One', 'Two']);
    const settings = { deletion_guard: { max_ratio: 1 } };
    await scene.expect('PATCH', `/${source.split('/').slice(1, 3).join('/')}`, { settings });
    scene.site.remove('/two');
    const second = await scene.sync(source);
    const progress = { unchanged: 1, deleted: 1 };
    expect(second).toMatchObject({ status: 'completed_with_errors', error: null, progress });
    expect(second.failures.map(({ key }) => key).sort()).toEqual([missing('/gone').key, missing('/two').key]);
    const cut = `<urlset>${urls(['/two'])}<url><loc>${scene.site.url}/on`;
    for (const body of ['<html>', cut]) {
      set('/index.xml', body);
      expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'sitemap_unreadable' } });
    }
    expect(await scene.titles(source)).toHaveLength(1);
  });
});
