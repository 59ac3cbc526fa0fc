import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

describeInBrowser('the delivery of the console', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${scene.scene.stack.baseUrl}${path}`, { headers, redirect: 'manual' });
    // The socket of a page that nobody reads would keep the jest worker from its exit.
    await answer.clone().arrayBuffer();
    return answer;
  };

  it('answers every path below /console/ with a page that no cache keeps and no other site frames', async () => {
    const answer = await get('/console/runs/run_unknown');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", 'require-trusted-types-for'])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe-|https?:|\*/);
  });

  it('gives each page its own nonce', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answer = await get('/console/');
        const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '')?.[1] ?? '';
        expect(await answer.text()).toContain(`nonce="${nonce}"`);
        return nonce;
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('sends assets compressed and immutable, and 404 for unknown ones', async () => {
    const page = await (await get('/console/')).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    const sizes = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const answer = await get(script, { 'accept-encoding': encoding });
        expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
        return Number(answer.headers.get('content-length'));
      }),
    );
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    for (const path of ['/console/assets/unknown.js', '/console/assets/', '/console/assets/..%2findex.html'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it('leads browsers from / to the console, and other clients to nothing', async () => {
    const forBrowser = await get('/', { accept: 'text/html,*/*;q=0.8' });
    expect([forBrowser.status, forBrowser.headers.get('location')]).toEqual([302, '/console/']);
    expect((await get('/', { accept: 'application/json' })).status).toBe(404);
  });

  it('is rendered in a browser without an error or a violation of its policy', async () => {
    const context = await scene.newContext();
    const { page, errors } = await scene.open(context, '/console/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(errors).toEqual([]);
  });

  it.each([
    ['/console/', '/v1/runs?limit=8&mode=production'],
    ['/console/runs', '/v1/runs?limit=50'],
  ])(
    'needs one script of at most 220 KB for %s, and requests its rows once, before the script has run',
    async (path, rows) => {
      const context = await scene.signIn(scene.scene.stack.adminKey);
      const { page, errors } = await scene.open(context, path);
      await page.getByText(/^(No run yet|Getting started)$/).waitFor();
      const requests = await page.evaluate<{ name: string; size: number }[]>(
        `performance.getEntriesByType('resource').map((each) => ({ name: each.name.replace(location.origin, ''), size: each.encodedBodySize }))`,
      );
      const scripts = requests.filter(({ name }) => name.endsWith('.js'));
      expect(scripts.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(220_000);
      const isFirst = ({ name }: { name: string }): boolean => name.includes('/assets/');
      const names = requests.filter((each) => each.name === rows || !isFirst(each)).map(({ name }) => name);
      expect([names[0], names.filter((name) => name === rows)]).toEqual([rows, [rows]]);
      expect(scripts.filter(({ name }) => /index-/.test(name))).toHaveLength(1);
      expect(errors).toEqual([]);
    },
  );

  it('says in an empty workspace what agents do, what comes first, and shows no empty card', async () => {
    const context = await scene.signIn(scene.scene.stack.adminKey, { viewport: { width: 320, height: 700 } });
    const { page, errors } = await scene.open(context, '/console/');
    await page
      .getByText(/^Agents do work in your systems/)
      .getByRole('link', { name: 'create an agent' })
      .waitFor();
    const steps = page.getByRole('list', { name: 'Getting started' }).locator('p');
    const cut = await steps.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length);
    expect([await steps.count(), cut]).toEqual([6, 0]);
    expect(await page.getByRole('main').getByRole('heading').allTextContents()).toEqual([
      'Overview',
      'Getting started',
    ]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
    expect(errors).toEqual([]);
  });

  it('names the parts of fields in English, whatever the language of the browser is', async () => {
    const context = await scene.signIn(scene.scene.stack.adminKey, { locale: 'de-DE' });
    const { page } = await scene.open(context, '/console/runs');
    await page.getByRole('button', { name: 'Show suggestions Agent' }).waitFor();
  });

  it('is removed by CONSOLE=off, and the guides remain', async () => {
    const { baseUrl } = await scene.stack.addApi({ CONSOLE: 'off' });
    const status = async (path: string) =>
      (await fetch(baseUrl + path, { headers: { accept: 'text/html' }, redirect: 'manual' })).status;
    expect(await Promise.all(['/console/', '/', '/docs/guides/steps'].map(status))).toEqual([404, 404, 200]);
  });
});
