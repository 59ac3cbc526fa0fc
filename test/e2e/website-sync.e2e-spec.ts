import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { eventually } from '../support/eventually.js';
import { SyncScene, type SyncAnswer } from '../support/sync-scene.js';
import { aPage, aPdf, redirect, type ServedPage } from '../support/site-server.js';

const PAGES = 200;

function* portions(bytes: number): Generator<Buffer> {
  const portion = Buffer.alloc(1024 * 1024, 'x');
  for (let sent = 0; sent < bytes; sent += portion.length) yield portion;
}

describe('a web site as a source', () => {
  let scene: SyncScene;
  let base: string;

  beforeAll(async () => {
    scene = await SyncScene.start();
    base = await scene.aBase('site');
  });
  beforeEach(() => scene.site.clear());
  afterAll(() => scene.stop());

  const aSite = (config: object = {}) =>
    scene.aSource(base, { connector: 'website', config: { start_urls: [`${scene.site.url}/`], ...config } });

  function publish(count: number): void {
    const paths = Array.from({ length: count }, (_, index) => `/page/${index + 1}`);
    scene.site.set('/', aPage('Start', 'Where it begins', paths.slice(0, 10)));
    for (const [index, path] of paths.entries()) {
      const further = paths.slice(index * 2 + 1, index * 2 + 12);
      scene.site.set(path, aPage(`Page ${index + 1}`, `This is what page ${index + 1} says.`, ['/', ...further]));
    }
  }

  it('is read to its end, and read again only where it has changed; what disappeared is gone at once', async () => {
    publish(PAGES);
    scene.site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private', type: 'text/plain' });
    scene.site.set(
      '/',
      aPage('Start', 'Where it begins', ['/page/1', '/page/2', '/page/3', '/terms.pdf', '/private', '/old']),
    );
    scene.site.set('/terms.pdf', aPdf('Refunds within thirty days'));
    scene.site.set('/private', aPage('Private', 'No visitor reads this'));
    scene.site.set('/old', redirect('/page/1#top'));
    const source = await aSite();
    const first = await scene.sync(source);
    expect(first).toMatchObject({
      status: 'succeeded',
      error: null,
      progress: { added: PAGES + 2, deleted: 0, failed: 0 },
    });
    expect(scene.site.seen.map(({ path }) => path)).not.toContain('/private');
    expect(await scene.source(source)).toMatchObject({ status: 'active', document_count: PAGES + 2, error: null });
    expect(await scene.text(source, `${scene.site.url}/page/7`)).toBe('# Page 7\n\nThis is what page 7 says.');
    expect(await scene.text(source, `${scene.site.url}/terms.pdf`)).toContain('Refunds within thirty days');

    scene.site.clearRequests();
    scene.site.set('/page/7', aPage('Page 7', 'This is something else.', ['/', '/page/new']));
    scene.site.set('/page/new', aPage('New', 'What is new.'));
    scene.site.remove(`/page/${PAGES}`);
    const second = await scene.sync(source);
    expect(second).toMatchObject({
      status: 'succeeded',
      progress: { added: 1, updated: 1, deleted: 1, unchanged: PAGES, failed: 0 },
    });
    expect(
      scene.site
        .answered(200)
        .filter((path) => path !== '/robots.txt')
        .sort(),
    ).toEqual(['/page/7', '/page/new']);
    const titles = await scene.titles(source);
    expect(titles).toContain('New');
    expect(titles).not.toContain(`Page ${PAGES}`);
  });

  it('loses nothing when its worker is killed in the middle', async () => {
    publish(60);
    // From here on, every page is slow, so that the kill interrupts the sync.
    for (let n = 30; n <= 60; n++) {
      const page = aPage(`Page ${n}`, `This is what page ${n} says.`);
      scene.site.set(`/page/${n}`, (_, response) => {
        setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page.body), 150);
      });
    }
    const source = await aSite();
    const { id } = await scene.expect<SyncAnswer>('POST', `${source}/sync`);
    await eventually(async () => {
      const { progress } = await scene.expect<SyncAnswer>('GET', `${source}/syncs/${id}`);
      expect(progress.seen).toBeGreaterThan(10);
    });
    const [worker] = scene.stack.workers.splice(0);
    await worker!.kill();
    await scene.stack.addWorker();
    const sync = await scene.ended(`${source}/syncs/${id}`);
    expect(sync).toMatchObject({ status: 'succeeded', progress: { seen: 61, failed: 0, deleted: 0 } });
    expect(await scene.titles(source)).toHaveLength(61);
    expect(await scene.source(source)).toMatchObject({ document_count: 61 });
  });

  it('that is dead or redirects in circles fails with a clear message, and the index stays', async () => {
    scene.site.set('/', aPage('Start', 'Where it begins'));
    const source = await aSite();
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 1 } });

    scene.site.set('/', redirect('/b'));
    scene.site.set('/b', redirect('/'));
    const looping = await scene.sync(source);
    expect(looping).toMatchObject({ status: 'failed', error: { code: 'redirect_loop' }, progress: { deleted: 0 } });
    expect(await scene.source(source)).toMatchObject({ status: 'error', document_count: 1, error: looping.error });

    scene.site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /', type: 'text/plain' });
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'robots_refused' } });
    scene.site.set('/robots.txt', (_, response) => void response.writeHead(500).end());
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'robots_unavailable' } });
    scene.site.set('/robots.txt', (_, response) => void response.destroy());
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'site_unreachable' } });
    expect(await scene.titles(source)).toEqual(['Start']);

    scene.site.remove('/robots.txt');
    const hidden = '<meta name="robots" content="noindex"><p>Where it begins</p>';
    scene.site.set('/', { body: hidden });
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', error: { code: 'empty_enumeration' } });
    scene.site.set('/', aPage('Start', 'Where it begins'));
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { unchanged: 1 } });
    expect(await scene.source(source)).toMatchObject({ status: 'active', error: null });
  });

  it('whose start pages answer errors names them, and loses nothing of what they led to', async () => {
    const answer = (status: number) => scene.site.set('/b', (_, response) => void response.writeHead(status).end());
    answer(500);
    const start_urls = [`${scene.site.url}/`, `${scene.site.url}/b`];
    const source = await aSite({ start_urls });
    const first = await scene.sync(source);
    expect(first).toMatchObject({ status: 'failed', error: { code: 'page_missing' }, progress: { failed: 2 } });
    expect(first.failures.map(({ key, code }) => [key, code]).sort()).toEqual([
      [start_urls[0], 'page_missing'],
      [start_urls[1], 'bad_answer'],
    ]);

    scene.site.set('/', aPage('Start', 'Where it begins', ['/page']));
    scene.site.set('/page', aPage('Page', 'What a page says.', ['/dead']));
    scene.site.set('/b', redirect('/c'));
    scene.site.set('/c', aPage('C', 'Where it has moved to.', ['/behind']));
    scene.site.set('/behind', aPage('Behind', 'Nothing else leads here.'));
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 4, failed: 0 } });

    answer(404);
    const partly = await scene.sync(source);
    expect(partly).toMatchObject({
      status: 'completed_with_errors',
      error: { code: 'page_missing' },
      progress: { unchanged: 2, deleted: 0, failed: 1 },
    });
    expect(partly.failures).toEqual([{ key: start_urls[1], code: 'page_missing', message: expect.any(String) }]);
    scene.site.remove('/');
    expect(await scene.sync(source)).toMatchObject({ status: 'failed', progress: { deleted: 0, failed: 2 } });
    expect(await scene.titles(source)).toEqual(['Behind', 'C', 'Page', 'Start']);

    scene.site.set('/', aPage('Start', 'Where it begins', ['/page']));
    scene.site.set('/b', redirect('/c'));
    scene.site.remove('/behind');
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', error: null, progress: { deleted: 1 } });
  });

  it('in which a page moves to one that cannot be read yet loses nothing of what the page led to', async () => {
    publish(10);
    scene.site.set('/page/10', aPage('Page 10', 'Leads on.', ['/behind']));
    scene.site.set('/behind', aPage('Behind', 'Nothing else leads here.'));
    const source = await aSite();
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 12 } });

    scene.site.set('/page/10', redirect('/new'));
    scene.site.set('/new', (_, response) => void response.writeHead(500).end());
    const moving = await scene.sync(source);
    expect(moving.failures).toMatchObject([{ key: `${scene.site.url}/new`, code: 'bad_answer' }]);
    expect(await scene.titles(source)).toContain('Behind');

    scene.site.set('/new', aPage('New', 'Leads nowhere.'));
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 1, deleted: 1 } });
    expect(await scene.titles(source)).not.toContain('Behind');
  });

  it('in which pages move to one that has failed already, or that is known, loses nothing of what they led to', async () => {
    publish(20);
    scene.site.set('/', aPage('Start', 'Where it begins', ['/new', '/page/1', '/page/2', '/page/3']));
    scene.site.set('/new', aPage('New', 'Leads nowhere.'));
    for (const n of [15, 16]) {
      scene.site.set(`/page/${n}`, aPage(`Page ${n}`, 'Leads on.', [`/behind/${n}`]));
      scene.site.set(`/behind/${n}`, aPage(`Behind ${n}`, 'Nothing else leads here.'));
    }
    const source = await aSite();
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 24 } });

    scene.site.set('/new', (_, response) => void response.writeHead(500).end());
    scene.site.set('/page/15', redirect('/page/16'));
    scene.site.set('/page/16', (_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/new' }).end(), 300);
    });
    const moving = await scene.sync(source);
    expect(moving.failures).toMatchObject([{ key: `${scene.site.url}/new`, code: 'bad_answer' }]);
    expect(await scene.titles(source)).toEqual(expect.arrayContaining(['Behind 15', 'Behind 16']));

    scene.site.set('/new', aPage('New', 'Leads nowhere.'));
    await scene.sync(source);
    expect((await scene.titles(source)).filter((title) => title.startsWith('Behind'))).toEqual([]);
  });

  it('has its pages once, as their canonical address says, but none is lost by an address that leads nowhere', async () => {
    const canonical = (to: string, text: string) => ({
      body: `<head><title>${text}</title><link rel="canonical" href="${to}"></head><p>${text}</p>`,
    });
    scene.site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private', type: 'text/plain' });
    const paths = ['/copy', '/to-nothing', '/to-itself', '/loop/a', '/loop/b', '/to-private', '/to-broken'];
    scene.site.set('/', aPage('Start', 'Where it begins', paths));
    scene.site.set('/copy', canonical('/original', 'Copy'));
    scene.site.set('/original', canonical('/original', 'Original'));
    scene.site.set('/to-nothing', canonical('/nowhere', 'To nothing'));
    scene.site.set('/to-itself', canonical('/former', 'To itself'));
    scene.site.set('/former', redirect('/to-itself'));
    scene.site.set('/loop/a', canonical('/loop/b', 'Loop'));
    scene.site.set('/loop/b', canonical('/loop/a', 'Loop'));
    scene.site.set('/to-private', canonical('/private', 'To private'));
    scene.site.set('/to-broken', canonical('/broken', 'To broken'));
    scene.site.set('/broken', (_, response) => void response.writeHead(500).end());
    const source = await aSite();
    const sync = await scene.sync(source);
    expect(sync.failures.map(({ key }) => new URL(key).pathname)).toEqual(['/broken']);
    const titles = ['Loop', 'Original', 'Start', 'To broken', 'To itself', 'To nothing', 'To private'];
    expect(await scene.titles(source)).toEqual(titles);
    await scene.sync(source);
    expect(await scene.titles(source)).toEqual(titles);
  });

  it('in which a page leads into a circle of others is read to its end', async () => {
    scene.site.set('/', aPage('Start', 'Where it begins', ['/loop/a', '/page']));
    scene.site.set('/page', aPage('Page', 'What a page says.', ['/next']));
    // This page is read together with /loop/b, so that /late is read when the circle is known.
    scene.site.set('/next', aPage('Next', 'What the next page says.', ['/late']));
    scene.site.set('/loop/a', redirect('/loop/b'));
    scene.site.set('/loop/b', redirect('/loop/a'));
    scene.site.set('/late', redirect('/loop/a'));
    const sync = await scene.sync(await aSite());
    expect(sync).toMatchObject({ status: 'completed_with_errors', progress: { added: 3, failed: 2 } });
    expect(sync.failures.map(({ code }) => code)).toEqual(['redirect_loop', 'redirect_loop']);
  });

  it('whose robots.txt refuses some pages lists those that are indexed and those that it begins with, and keeps them', async () => {
    publish(10);
    const robots = (path: string) =>
      scene.site.set('/robots.txt', { body: `User-agent: *\nDisallow: ${path}`, type: 'text/plain' });
    robots('/page/9');
    const start_urls = [`${scene.site.url}/`, `${scene.site.url}/page/9`];
    const source = await aSite({ start_urls });
    const first = await scene.sync(source);
    expect(first).toMatchObject({ status: 'completed_with_errors', progress: { added: 10, failed: 1 } });
    expect(first.failures).toEqual([{ key: start_urls[1], code: 'robots_refused', message: expect.any(String) }]);

    robots('/page/3');
    const refused = await scene.sync(source);
    expect(refused).toMatchObject({ status: 'completed_with_errors', progress: { added: 1, deleted: 0, failed: 1 } });
    expect(refused.failures).toMatchObject([{ key: `${scene.site.url}/page/3`, code: 'robots_refused' }]);
    expect(await scene.titles(source)).toHaveLength(11);

    await scene.expect('PATCH', source, { config: { start_urls, exclude_paths: ['/page/3'] } });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { deleted: 1, failed: 0 } });
    expect(await scene.titles(source)).not.toContain('Page 3');
  });

  it('that asks for patience until a date is given it', async () => {
    const free = new Date(Date.now() + 7_000).toUTCString();
    scene.site.set('/', aPage('Start', 'Where it begins', ['/busy']));
    scene.site.set('/busy', (_, response) => {
      const isFree = Date.now() >= Date.parse(free);
      if (isFree) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Not busy any more</p>');
      else response.writeHead(429, { 'retry-after': free }).end();
    });
    expect(await scene.sync(await aSite())).toMatchObject({ status: 'succeeded', progress: { added: 2 } });
  });

  it('that redirects without a location is reported as such', async () => {
    scene.site.set('/', aPage('Start', 'Where it begins', ['/nowhere']));
    scene.site.set('/nowhere', (_, response) => void response.writeHead(302).end());
    expect((await scene.sync(await aSite())).failures).toMatchObject([{ code: 'bad_answer' }]);
  });

  it('that asks robots by a header to leave a page out, or not to follow it, is obeyed', async () => {
    const tagged =
      (tag: string, { body }: ServedPage) =>
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': tag }).end(body);
    scene.site.set('/', aPage('Start', 'Where it begins', ['/left-out', '/dead-end', '/elsewhere']));
    scene.site.set('/left-out', tagged('noindex', aPage('Left out', 'Not indexed', ['/behind'])));
    scene.site.set('/dead-end', tagged('nofollow', aPage('Dead end', 'Indexed', ['/hidden'])));
    scene.site.set('/elsewhere', tagged('otherbot: none', aPage('Elsewhere', 'Indexed')));
    scene.site.set('/behind', aPage('Behind', 'Indexed'));
    scene.site.set('/hidden', aPage('Hidden', 'No link leads here'));
    const source = await aSite();
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 4 } });
    expect((await scene.titles(source)).sort()).toEqual(['Behind', 'Dead end', 'Elsewhere', 'Start']);

    scene.site.set('/elsewhere', tagged('noindex', aPage('Elsewhere', 'Indexed')));
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { deleted: 1 } });
  });

  it('whose sitemap cannot be read keeps what only the sitemap leads to', async () => {
    publish(10);
    const sitemap = (paths: string[]) => {
      const urls = paths.map((path) => `<url><loc>${scene.site.url}${path}</loc></url>`);
      scene.site.set('/sitemap.xml', { body: `<urlset>${urls.join('')}</urlset>`, type: 'application/xml' });
    };
    sitemap(['/hidden']);
    scene.site.set('/hidden', aPage('Hidden', 'Nothing leads here.'));
    const source = await aSite();
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { added: 12 } });

    scene.site.set('/sitemap.xml', (_, response) => void response.writeHead(503, { 'retry-after': '0' }).end());
    const failing = await scene.sync(source);
    expect(failing).toMatchObject({
      status: 'completed_with_errors',
      error: { code: 'sitemap_unreadable' },
      progress: { deleted: 0 },
    });
    scene.site.set('/sitemap.xml', (_, response) => void response.destroy());
    expect(await scene.sync(source)).toMatchObject({ error: { code: 'sitemap_unreadable' }, progress: { deleted: 0 } });
    scene.site.set('/robots.txt', { body: `Sitemap: ${scene.site.url}/sitemap.xml`, type: 'text/plain' });
    scene.site.set('/sitemap.xml', { body: '<html>Come back later</html>' });
    expect(await scene.sync(source)).toMatchObject({ error: { code: 'sitemap_unreadable' }, progress: { deleted: 0 } });
    expect(await scene.titles(source)).toContain('Hidden');

    sitemap([]);
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', progress: { deleted: 1 } });
    expect(await scene.source(source)).toMatchObject({ status: 'active', error: null });
  });

  it('with a page of a gigabyte and a broken PDF lists the two, and has the rest', async () => {
    scene.site.set('/', aPage('Start', 'Where it begins', ['/huge', '/broken.pdf', '/fine', '/picture']));
    scene.site.set('/fine', aPage('Fine', 'All is well.'));
    scene.site.set('/picture', { body: 'PNG', type: 'image/png' });
    scene.site.set('/broken.pdf', { body: '%PDF-1.4 and then nothing', type: 'application/pdf' });
    scene.site.set('/huge', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': String(2 ** 30) });
      Readable.from(portions(2 ** 30)).pipe(response);
    });
    const sync = await scene.sync(await aSite());
    expect(sync).toMatchObject({ status: 'completed_with_errors', progress: { seen: 4, added: 2, failed: 2 } });
    expect(Object.fromEntries(sync.failures.map(({ key, code }) => [new URL(key).pathname, code]))).toEqual({
      '/huge': 'document_too_large',
      '/broken.pdf': 'document_unreadable',
    });
  });

  it('from which most pages are gone waits for a person before they are deleted', async () => {
    publish(10);
    const source = await aSite();
    const first = await scene.sync(source);
    expect(first).toMatchObject({ progress: { added: 11 } });
    for (let n = 1; n <= 9; n++) scene.site.remove(`/page/${n}`);
    const held = await scene.sync(source);
    expect(held).toMatchObject({
      status: 'completed_with_errors',
      error: { code: 'deletions_held' },
      progress: { deleted: 0 },
      held_deletions: { count: 9, confirmed_at: null },
    });
    expect(await scene.titles(source)).toHaveLength(11);
    expect(await scene.source(source)).toMatchObject({ status: 'active', error: { code: 'deletions_held' } });
    const [, base = '', id = ''] = /^(.*)\/sources\/(.*)$/.exec(source) ?? [];
    const heldBy = async (filters: string): Promise<string[]> =>
      (await scene.expect<{ data: { title: string }[] }>('GET', `${base}/documents?limit=100&${filters}`)).data.map(
        ({ title }) => title,
      );
    const gone = Array.from({ length: 9 }, (_, n) => `Page ${n + 1}`);
    expect((await heldBy(`held_by=${held.id}`)).sort()).toEqual(gone);
    expect(await heldBy(`held_by=${held.id}&source=${id}`)).toHaveLength(9);
    expect(await heldBy(`held_by=${held.id}&source=${id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`)).toEqual(
      [],
    );
    expect(await heldBy(`held_by=${first.id}`)).toEqual([]);
    const confirmed = await scene.expect<SyncAnswer>('POST', `${source}/syncs/${held.id}/confirm-deletions`);
    expect(confirmed).toMatchObject({ error: null, progress: { deleted: 9 }, held_deletions: { count: 9 } });
    expect(await scene.titles(source)).toEqual(['Page 10', 'Start']);
    expect(await heldBy(`held_by=${held.id}`)).toEqual([]);
    expect(await scene.source(source)).toMatchObject({ status: 'active', error: null });
  });

  it('with more pages than max_pages has none deleted, until it is read to its end again', async () => {
    const paths = ['/a', '/b', '/c', '/d'];
    const start = (links: string[]) => scene.site.set('/', aPage('Start', 'Where it begins', links));
    start(paths);
    for (const path of paths) scene.site.set(path, aPage(`Page ${path}`, `This is what ${path} says.`));
    const source = await aSite({ max_pages: 5 });
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', error: null, progress: { added: 5 } });

    scene.site.set('/new', aPage('New', 'What is new.'));
    start(['/new', ...paths]);
    const cut = await scene.sync(source);
    expect(cut).toMatchObject({
      status: 'completed_with_errors',
      error: { code: 'too_many_pages' },
      progress: { seen: 5, added: 1, deleted: 0 },
    });
    expect(await scene.titles(source)).toEqual(['New', 'Page /a', 'Page /b', 'Page /c', 'Page /d', 'Start']);

    start(['/new', ...paths.slice(1)]);
    expect(await scene.sync(source)).toMatchObject({ status: 'succeeded', error: null, progress: { deleted: 1 } });
    expect(await scene.titles(source)).not.toContain('Page /a');
  });

  it('is read within its paths, depth and number of pages', async () => {
    publish(30);
    const few = await scene.sync(await aSite({ max_pages: 5 }));
    expect(few).toMatchObject({ error: { code: 'too_many_pages' }, progress: { added: 5, total: 5 } });
    const flat = await aSite({ max_depth: 1, exclude_paths: ['/page/2'] });
    await scene.sync(flat);
    expect(await scene.titles(flat)).toEqual([
      'Page 1',
      'Page 10',
      'Page 3',
      'Page 4',
      'Page 5',
      'Page 6',
      'Page 7',
      'Page 8',
      'Page 9',
      'Start',
    ]);
    const part = await aSite({ include_paths: ['/page/1*'] });
    await scene.sync(part);
    const titles = await scene.titles(part);
    expect(titles).toContain('Page 12');
    expect(titles.every((title) => title.startsWith('Page 1'))).toBe(true);
  });
});
