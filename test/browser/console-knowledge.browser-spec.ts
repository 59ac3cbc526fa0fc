import type { JsonObject } from '@app/kernel';
import type { Locator, Page } from 'playwright-core';
import { OauthServer } from '../support/oauth-server.js';
import { aPerson } from '../support/people.js';
import { endAll } from '../support/scene.js';
import { aPage, SiteServer } from '../support/site-server.js';
import { eventually } from '../support/eventually.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">';

interface SyncState {
  id: string;
  last_sync: { id: string; status: string; ended_at: string | null } | null;
}

describeInBrowser('knowledge in the console', () => {
  let scene: ConsoleScene;
  let site: SiteServer;
  let provider: OauthServer;
  const ends: (() => Promise<void>)[] = [];
  let bases = 0;

  beforeAll(async () => {
    site = await SiteServer.start();
    ends.push(() => site.stop());
    scene = await ConsoleScene.start();
    ends.push(() => scene.stop());
    provider = await OauthServer.startFor(scene.stack);
    ends.push(() => provider.stop());
  });
  beforeEach(() => {
    site.clear();
    provider.clear();
  });
  afterEach(() => scene.closePages());
  afterAll(() => endAll(ends));

  const api = <Body>(method: string, path: string, body?: JsonObject): Promise<Body> =>
    scene.stack.client.expect<Body>(method, `/v1${path}`, body);
  const open = async (
    path: string,
    options: Parameters<ConsoleScene['newContext']>[0] = {},
    key = scene.stack.adminKey,
  ) => {
    const context = await scene.signedIn(key, options);
    return scene.open(context, `/console${path}`);
  };
  const untilIdle = async (page: Page): Promise<void> => {
    await page.locator('main[aria-busy="false"]').waitFor();
    await page.locator('main [aria-busy="true"]').waitFor({ state: 'detached' });
  };
  const aBase = async (settings: JsonObject = {}): Promise<string> =>
    (await api<{ id: string }>('POST', '/knowledge-bases', { name: `base-${++bases}`, settings })).id;
  const aSource = async (base: string, connector: string, config: JsonObject = {}): Promise<string> =>
    (await api<{ id: string }>('POST', `/knowledge-bases/${base}/sources`, { connector, config })).id;
  const synced = async (path: string): Promise<SyncState> =>
    eventually(async () => {
      const source = await api<SyncState>('GET', path);
      if (source.last_sync?.ended_at == null) throw new Error('The source is not synced yet.');
      return source;
    });
  const sync = async (base: string, source: string): Promise<SyncState> => {
    const path = `/knowledge-bases/${base}/sources/${source}`;
    await api('POST', `${path}/sync`);
    return synced(path);
  };
  const publish = (pages: Record<string, string>): void => {
    site.set('/', aPage('Handbook', 'How we work.', Object.keys(pages)));
    for (const [path, text] of Object.entries(pages)) site.set(path, aPage(`Page ${path.slice(1)}`, text));
  };
  /** Makes the test wiki serve these pages. The keys are ids of pages. */
  const publishWiki = (pages: Record<string, string>): void => {
    const listed = Object.keys(pages).map((id) => ({ id, title: `Wiki ${id}`, kind: 'page', changed: '1' }));
    provider.json('/spaces', () => [
      { key: 'handbook', name: 'The handbook' },
      { key: 'archive', name: 'Old pages' },
    ]);
    for (const space of ['handbook', 'all'])
      provider.json(`/spaces/${space}/pages`, () => ({ pages: listed, next: null }));
    for (const [id, text] of Object.entries(pages))
      provider.on(`/pages/${id}`, (_, __, response) => void response.end(`<p>${text}</p>`));
  };
  const button = (place: Page | Locator, name: string): Locator => place.getByRole('button', { name, exact: true });
  const textbox = (place: Page | Locator, name: string): Locator => place.getByRole('textbox', { name, exact: true });

  it('has a base made in a dialog, with the refusal at its field', async () => {
    const { page, errors } = await open('/knowledge');
    await page.getByText('No knowledge base yet').waitFor();
    await page.getByText('aas kb create').waitFor();
    await button(page, 'Create knowledge base').click();
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await button(page, 'Create knowledge base').press('Enter');
    await button(dialog, 'Create knowledge base').click();
    await dialog.getByRole('alert').waitFor();
    expect(await textbox(dialog, 'Name').getAttribute('aria-invalid')).toBe('true');
    await textbox(dialog, 'Name').fill('refund-policy');
    await dialog.getByLabel('Region').selectOption('eu-west');
    await dialog.getByText('Retrieval, embedding').click();
    await textbox(dialog, 'Top k').fill('none');
    await button(dialog, 'Create knowledge base').click();
    await dialog.getByText('Default: 8.').waitFor({ state: 'hidden' });
    expect(await textbox(dialog, 'Top k').getAttribute('aria-invalid')).toBe('true');
    await textbox(dialog, 'Top k').fill('3');
    await button(dialog, 'Create knowledge base').click();
    await page.waitForURL(/\/knowledge\/kb_\w{26}$/);
    await page.getByRole('heading', { level: 1, name: 'refund-policy' }).waitFor();
    const made = await api<{ region: string; settings: JsonObject }>('GET', '/knowledge-bases/name:refund-policy');
    expect(made).toMatchObject({ region: 'eu-west', settings: { retrieval: { top_k: 3 } } });
    expect(errors).toEqual([]);
  });

  it('is filled from a web site, and searched', async () => {
    publish({ '/refunds': 'Refunds are paid within five days.', '/returns': 'Returns are free.' });
    const base = await aBase();
    const { page, errors } = await open(`/knowledge/${base}/connect`);
    await page.getByRole('radio', { name: 'Website' }).check();
    await textbox(page, 'Start pages').fill('ftp://nowhere');
    await button(page, 'Test').click();
    await page.getByText('Line 1:').waitFor();
    await textbox(page, 'Start pages').fill('http://127.0.0.1:9/');
    await button(page, 'Test').click();
    await page.getByRole('group', { name: 'The source cannot be read' }).waitFor();
    await textbox(page, 'Start pages').fill(`${site.url}/`);
    await button(page, 'Test').click();
    await page.getByRole('status', { name: '3 pages found' }).getByText('Handbook').waitFor();
    await page.getByText('Limits and further settings').click();
    await page.getByRole('switch', { name: 'Obey robots.txt', checked: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('Schedule').selectOption('cron');
    await textbox(page, 'cron').fill('every day');
    await button(page, 'Connect source').click();
    await textbox(page, 'cron').and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.getByLabel('Schedule').selectOption('daily');
    await button(page, 'Connect source').click();
    await page.waitForURL(/tab=sources/);
    await page.getByText('3 of 3 read: 3 added').waitFor();
    await page.getByText('every day', { exact: true }).waitFor();
    await page.getByText('3 passages', { exact: true }).waitFor();

    await page.getByRole('tab', { name: 'Documents' }).click();
    await page.getByRole('link', { name: 'Page refunds' }).click();
    await page.getByRole('list', { name: 'Passages' }).getByText('within five days').waitFor();
    expect(await button(page, 'Remove document').getAttribute('aria-disabled')).toBe('true');

    await page.getByRole('tab', { name: 'Search' }).click();
    await textbox(page, 'Query').fill('when is a refund paid');
    await textbox(page, 'Query').press('Enter');
    const best = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first();
    await best.getByText('score').waitFor();
    expect(await best.locator('mark').allTextContents()).toContain('Refunds');
    expect(new URL(page.url()).searchParams.get('query')).toBe('when is a refund paid');
    await best.getByRole('link', { name: 'Page refunds' }).click();
    await page.getByRole('listitem').and(page.locator('[aria-current]')).waitFor();
    await page.goBack();
    await textbox(page, 'Query').fill('zeppelin');
    await textbox(page, 'Query').press('Enter');
    await page.getByText('No results').waitFor();
    expect(errors).toEqual([]);
  });

  it('has its source changed, paused and deleted', async () => {
    publish({});
    const base = await aBase();
    await aSource(base, 'website', { start_urls: [`${site.url}/`], schedule: 'daily' });
    const { page } = await open(`/knowledge/${base}`);
    await button(page, 'Pause schedule').click();
    await button(page, 'Resume schedule').waitFor();
    await button(page, 'Change source').click();
    const dialog = page.getByRole('dialog');
    expect(await textbox(dialog, 'Start pages').inputValue()).toBe(`${site.url}/`);
    await dialog.getByText('Limits and further settings').click();
    await textbox(dialog, 'Maximum number of pages').fill('0');
    await button(dialog, 'Change source').click();
    await dialog.getByRole('alert').waitFor();
    expect(await textbox(dialog, 'Maximum number of pages').getAttribute('aria-invalid')).toBe('true');
    await textbox(dialog, 'Maximum number of pages').fill('7');
    await dialog.getByLabel('Schedule').selectOption('weekly');
    await button(dialog, 'Change source').click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('every week').waitFor();
    const { data } = await api<{ data: { config: JsonObject }[] }>('GET', `/knowledge-bases/${base}/sources`);
    expect(data[0]?.config).toMatchObject({ max_pages: 7 });
    await button(page, 'Delete source').click();
    await button(dialog, 'Delete source').click();
    await page.getByText('No source yet').waitFor();
  });

  it('takes uploads, shows them with their failures first, and removes one', async () => {
    const base = await aBase();
    const { page, errors } = await open(`/knowledge/${base}`);
    const file = (name: string, mimeType: string, text: string) => ({ name, mimeType, buffer: Buffer.from(text) });
    const choose = page.locator('input[type="file"]');
    const row = (name: string): Locator =>
      page.getByRole('list', { name: 'Uploaded files' }).getByRole('listitem').filter({ hasText: name });
    await page.getByText('No source yet').waitFor();
    await choose.setInputFiles([
      file('handbook.md', 'text/markdown', '# Handbook\n\nRefunds within 30 days.'),
      file('notes.txt', 'text/plain', 'Notes of the meeting'),
      file('a.zip', 'application/zip', 'PK'),
      file('scan.pdf', 'application/pdf', 'no PDF at all'),
    ]);
    await row('a.zip').getByRole('alert').getByText('application/zip').waitFor();
    await row('handbook.md').getByText('searchable').waitFor();
    await row('scan.pdf').getByText('text recognition').waitFor();
    expect(await page.getByRole('list', { name: 'Uploaded files' }).getByRole('listitem').first().innerText()).toMatch(
      /a\.zip|scan\.pdf/,
    );
    const failures = page.getByRole('group', { name: 'Failures' });
    await failures.getByText('scan.pdf').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await button(failures, 'Try again').click();
    await failures.getByText('scan.pdf').waitFor();
    await page.getByText('2 documents', { exact: true }).first().waitFor();
    expect(errors).toEqual([]);
    await page.goto(`/console/knowledge/${base}?tab=documents`);
    await page.getByRole('link', { name: 'Handbook' }).click();
    await button(page, 'Remove document').click();
    await button(page.getByRole('dialog'), 'Remove document').click();
    await page.getByRole('table', { name: 'Documents' }).getByText('notes').first().waitFor();
    await page.getByRole('link', { name: 'Handbook' }).waitFor({ state: 'detached' });
  });

  it('is connected with a provider in the same tab, and again when the permission has expired', async () => {
    publishWiki({ a: 'About refunds.', b: 'About returns.' });
    const base = await aBase();
    const { page } = await open(`/knowledge/${base}/connect`);
    await page.getByRole('radio', { name: 'Our wiki' }).check();
    await button(page, 'Connect source').click();
    await button(page, 'Continue').click();
    await page.waitForURL(/connected=src_/);
    await page.getByText('Our wiki is connected').waitFor();
    await page.getByText('Choose from a list').click();
    const entries = page.getByRole('combobox', { name: 'Entries of the provider' });
    await entries.fill('hand');
    await page.getByRole('option', { name: 'The handbook' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: 'The handbook' }).waitFor();
    expect(await textbox(page, 'Spaces').inputValue()).toBe('handbook');
    expect(await accessibilityFindings(page)).toEqual([]);
    await button(page, 'Sync now').click();
    await page.getByText('2 added').waitFor();

    await provider.revoke();
    await button(page, 'Sync now').click();
    await page.getByText('The permission has expired').waitFor();
    await page.goto('/console/knowledge');
    await page.getByText('1 permission to renew').waitFor();
    await page.goto(`/console/knowledge/${base}`);
    await button(page, 'Renew permission').click();
    await button(page, 'Continue').click();
    await page.waitForURL(/connected=src_/);
    await page.getByText('The permission is renewed').waitFor();
    await button(page, 'Sync now').click();
    await page.getByText('2 unchanged').waitFor();
    await page.goto(`/console/knowledge/${base}/connect?error=invalid_request&connector=wiki`);
    await page.getByRole('alert').getByText('The permission was not granted').waitFor();
    expect(await page.getByRole('radio', { name: 'Our wiki' }).isChecked()).toBe(true);
  });

  it('is not connected with a provider that the operator has not set up', async () => {
    const { baseUrl } = await scene.stack.addApi({ OAUTH_PROVIDERS: '' });
    const { page } = await open(`/knowledge/${await aBase()}/connect`, { baseURL: baseUrl });
    await page.getByRole('radio', { name: 'Notion' }).check();
    expect(await button(page, 'Connect source').getAttribute('aria-disabled')).toBe('true');
    await page.getByText('OAUTH_PROVIDERS').first().waitFor();
  });

  it('asks a person before it deletes what is gone from a source', async () => {
    publish(Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`/page-${n}`, `Text of page ${n}.`])));
    const base = await aBase();
    const source = await aSource(base, 'website', { start_urls: [`${site.url}/`] });
    await sync(base, source);
    publish({ '/page-5': 'Text of page 5.' });
    for (let n = 0; n < 5; n++) site.remove(`/page-${n}`);
    await sync(base, source);
    const { page } = await open(`/knowledge/${base}`);
    const held = page.getByRole('list', { name: 'Documents to delete' });
    await held.getByRole('link', { name: 'Page page-0' }).waitFor();
    expect(await held.getByRole('listitem').count()).toBe(5);
    await button(page, 'Confirm deletions').click();
    await button(page.getByRole('dialog'), 'Confirm deletions').click();
    await held.waitFor({ state: 'detached' });
    await page.getByText('2 documents', { exact: true }).first().waitFor();
  });

  it('is granted, and read by a run', async () => {
    const base = await aBase();
    const source = await aSource(base, 'upload');
    const pushed = { name: 'policy', text: '# Policy\n\nRefunds are paid within five days.' };
    await api('POST', `/knowledge-bases/${base}/sources/${source}/documents`, pushed);
    await synced(`/knowledge-bases/${base}/sources/${source}`);
    const agent = await scene.stack.client.createAgent({
      name: `reader-${bases}`,
      steps: [
        { id: 'policy', retrieve: { base, query: 'When are refunds paid?' } },
        { id: 'result', output: '${{ steps.policy.output }}' },
      ],
    });
    const { page, errors } = await open(`/knowledge/${base}?tab=access`);
    const field = (name: string): Locator => page.getByRole('combobox', { name, exact: true });
    const leave = async (name: string): Promise<void> => {
      await field(name).press('Tab');
      // The field that gets the focus does not open its list.
      expect(await page.getByRole('listbox').count()).toBe(0);
    };
    const chosen = (name: string): Locator => page.getByRole('grid', { name: `Chosen: ${name}` });
    await field('People').fill('admin@ex');
    await page.getByRole('option', { name: 'admin@example.com' }).click();
    await leave('People');
    await chosen('People').getByText('admin@example.com').waitFor();
    await field('People').fill('nobody');
    await leave('People');
    await page.getByText('"nobody" is not in the list, and is not an e-mail address').waitFor();
    expect(await field('People').getAttribute('aria-invalid')).toBe('true');
    await field('People').fill('');
    await leave('People');
    await field('Agents').fill('missing');
    await leave('Agents');
    await page.getByText('There is no agent "missing".').waitFor();
    await field('Agents').fill(`reader-${bases}`);
    await field('Agents').press('ArrowDown');
    await field('Agents').press('Enter');
    await leave('Agents');
    await button(page, 'Save access').click();
    await page.getByText('Saved.').waitFor();
    const grants = page.getByRole('table', { name: 'Grants' });
    await grants
      .getByRole('row')
      .filter({ hasText: `reader-${bases}` })
      .getByText('by admin@example.com')
      .waitFor();

    const run = await scene.stack.client.startRun(agent);
    await scene.runReaches(run.id, 'succeeded');
    const { data } = await api<{ data: { id: string }[] }>('GET', `/knowledge-bases/${base}/documents`);
    await page.goto(`/console/knowledge/name:base-${bases}?tab=documents&document=${data[0]?.id}&version=7`);
    await page.getByText('The run read version 7; this is version 1.').waitFor();
    await page.goto(`/console/knowledge/name:base-${bases}?tab=access&agent=${agent}`);
    await page.getByRole('row').and(page.locator('[aria-current]')).getByText('agent').first().waitFor();

    await api('PUT', `/knowledge-bases/${base}/access`, { groups: ['translators'] });
    await field('People').fill('eve@example.com');
    await field('People').press('Tab');
    await button(page, 'Save access').click();
    await page.getByRole('alert').waitFor();
    await chosen('People').getByText('eve@example.com').waitFor();
    await button(page, 'Load present access').click();
    await chosen('Groups').getByText('translators').waitFor();
    const missing = page.getByRole('group', { name: 'The group translators does not exist' });
    await missing.getByText('lets no person read this knowledge base').waitFor();
    await chosen('People').waitFor({ state: 'detached' });
    await missing.getByRole('link', { name: 'Create group' }).click();
    await button(page.getByRole('dialog'), 'Create group').click();
    await page.getByRole('heading', { level: 1, name: `base-${bases}` }).waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('access');
    await chosen('Groups').getByText('translators').waitFor();
    await missing.waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
  });

  it('shows a viewer everything, with the reason at what they may not do', async () => {
    const base = await aBase();
    await aSource(base, 'upload');
    const viewer = await aPerson(scene.stack, 'viewer@example.com', { role: 'viewer' });
    const { page } = await open('/knowledge', {}, viewer.key);
    const refused = async (name: string): Promise<void> => {
      const control = button(page, name);
      // The console first shows the page, then reads the caller's role, and only then disables the button.
      await eventually(async () => expect([name, await control.getAttribute('aria-disabled')]).toEqual([name, 'true']));
      await control.press('Enter');
      expect(await page.getByRole('dialog').count()).toBe(0);
    };
    await refused('Create knowledge base');
    await page.goto(`/console/knowledge/${base}`);
    for (const name of [
      'Sync now',
      'Change source',
      'Delete source',
      'Choose files for the knowledge base',
      'Change',
      'Delete knowledge base',
    ])
      await refused(name);
    await page.goto(`/console/knowledge/${base}?tab=access`);
    await refused('Save access');
    await page.goto(`/console/knowledge/${base}/connect`);
    await refused('Connect source');
    expect(await button(page, 'Connect source').getAttribute('title')).toContain(
      'may not change knowledge (knowledge:write)',
    );
  });

  it('shows titles and passages of sources as text', async () => {
    const base = await aBase();
    const source = await aSource(base, 'upload');
    const path = `/knowledge-bases/${base}/sources/${source}`;
    const body = { name: HOSTILE, title: HOSTILE, content_type: 'text/plain', text: `Refunds ${HOSTILE}` };
    await api('POST', `${path}/documents`, body);
    await synced(path);
    const { page, errors } = await open(`/knowledge/${base}?tab=documents`);
    await page.getByRole('row', { name: HOSTILE }).getByText('Text', { exact: true }).waitFor();
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('list', { name: 'Passages' }).getByText('onerror=').waitFor();
    await page.goto(`/console/knowledge/${base}?tab=search&query=refunds`);
    await page.getByRole('list', { name: 'Results' }).getByText('onerror=').first().waitFor();
    expect(await page.title()).not.toContain('hacked');
    expect(await page.locator('main img').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  describe('of which each page', () => {
    let base: string;
    let document: string;
    const PAGES = [
      '/knowledge',
      '/knowledge/:base',
      '/knowledge/:base?tab=documents',
      '/knowledge/:base?document=:document',
      '/knowledge/:base?tab=search&query=refunds',
      '/knowledge/:base?tab=access',
      '/knowledge/:base?tab=bogus',
      '/knowledge/:base/connect',
      '/knowledge/:base/connect?connector=http_api',
    ];
    const address = (path: string): string => path.replace(':base', base).replace(':document', document);

    beforeAll(async () => {
      base = await aBase();
      const source = await aSource(base, 'upload');
      const path = `/knowledge-bases/${base}/sources/${source}`;
      const text = `# Refunds\n\n${'Refunds are paid within five days. '.repeat(40)}`;
      await api('POST', `${path}/documents`, { name: `${'long-'.repeat(60)}name.md`, text });
      await synced(path);
      const { data } = await api<{ data: { id: string }[] }>('GET', `/knowledge-bases/${base}/documents`);
      document = data[0]?.id ?? '';
      await api('PUT', `/knowledge-bases/${base}/access`, { users: ['ann@example.com'] });
    });

    it('is reached by its address, and accessible', async () => {
      const { page, errors } = await open('/knowledge');
      for (const path of PAGES) {
        await page.goto(`/console${address(path)}`);
        await untilIdle(page);
        expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
      }
      await page.goto('/console/knowledge');
      await button(page, 'Create knowledge base').click();
      await page.getByRole('dialog').getByText('Retrieval, embedding').click();
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(errors).toEqual([]);
    });

    it('is laid out on a phone without scrolling sideways', async () => {
      const { page } = await open('/knowledge', { viewport: { width: 320, height: 700 }, hasTouch: true });
      for (const path of PAGES) {
        await page.goto(`/console${address(path)}`);
        await untilIdle(page);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect([path, width <= 320]).toEqual([path, true]);
      }
      await page.goto(`/console${address('/knowledge/:base?tab=access')}`);
      const tab = await page.getByRole('tab', { name: 'Access', selected: true }).boundingBox();
      expect((tab?.x ?? 320) + (tab?.width ?? 0)).toBeLessThanOrEqual(320);
    });

    it('is reached with the keyboard: arrow keys lead from tab to tab', async () => {
      const { page } = await open(address('/knowledge/:base'));
      await page.getByRole('tab', { name: 'Sources' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name: 'Documents', selected: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('tab')).toBe('documents');
      await page.goBack();
      await page.getByRole('tab', { name: 'Sources', selected: true }).waitFor();
    });

    it('says so where it does not exist', async () => {
      const { page } = await open('/knowledge/kb_unknown');
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      await page.goto(`/console${address('/knowledge/:base')}?document=doc_unknown`);
      await page.getByRole('alert').waitFor();
    });
  });
});
