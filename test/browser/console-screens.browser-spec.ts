import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { aGroup, aPerson } from '../support/people.js';
import { accessibilityFindings } from './support/accessibility.js';
import { aRefundDesk } from './support/refund-desk.js';
import { ConsoleScene, describeInBrowser, focusedText } from './support/console-scene.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">\u202E';

describeInBrowser('the screens of the console', () => {
  let scene: ConsoleScene;
  let agent: string;
  let waiting: string;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    ledger.script('/orders/7', { body: { total: 180, note: HOSTILE } });
    await aPerson(stack, 'bob@example.com');
    await aGroup(stack, 'finance', ['bob@example.com']);
    agent = await stack.client.createAgent(aRefundDesk(ledger.url));
    waiting = (await stack.client.startRun(agent, { order: '7' })).id;
    await scene.runReaches(waiting, 'waiting_approval');
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, options);
    return scene.open(context, path);
  };

  const untilIdle = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();

  it.each([
    ['/', 'Overview'],
    ['/runs', 'Runs'],
    ['/runs/:waiting', 'refund-desk'],
    ['/runs/:waiting?step=2', 'refund-desk'],
    ['/agents', 'Agents'],
    ['/agents/:agent', 'refund-desk'],
    ['/approvals', 'Approvals'],
    ['/approvals?status=open', 'Approvals'],
    ['/stop', 'Emergency stop'],
    ['/nowhere', 'Not found'],
    ['/runs/run_unknown', 'Not found'],
  ])('%s is reached by its address, and accessible', async (path, heading) => {
    const address = path.replace(':waiting', waiting).replace(':agent', agent);
    const { page, errors } = await open(`/console${address}`);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await untilIdle(page);
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('have a bar with all pages on a phone, and do not scroll sideways', async () => {
    const { page } = await open(`/console/runs/${waiting}`, { viewport: { width: 320, height: 700 }, hasTouch: true });
    await untilIdle(page);
    const bar = page.getByRole('navigation', { name: 'Main' });
    const place = await bar.boundingBox();
    expect([place?.x, (place?.y ?? 0) + (place?.height ?? 0), place?.width]).toEqual([0, 700, 320]);
    const mark = await page.getByRole('banner').getByRole('link').locator('span').first().boundingBox();
    const bell = await page.getByRole('button', { name: 'What needs you' }).boundingBox();
    expect(bell!.x).toBeGreaterThanOrEqual(mark!.x + mark!.width);
    const stop = await page.getByRole('button', { name: 'Stop all agents' }).boundingBox();
    expect(stop!.y).toBeLessThan(bell!.y + bell!.height);
    for (const name of ['Overview', 'Runs', 'Approvals', 'Agents']) await bar.getByRole('link', { name }).waitFor();
    for (const [name, heading] of [
      ['Knowledge', 'Knowledge'],
      ['Usage', 'Usage'],
      ['Settings', 'Settings'],
    ] as const) {
      await bar.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    }
    for (const path of ['/', '/runs', `/runs/${waiting}`, '/approvals', '/agents', `/agents/${agent}`, '/usage']) {
      await page.goto(`/console${path}`);
      await untilIdle(page);
      expect([path, await page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([path, 320]);
    }
  });

  it('fit on a phone although an agent has the longest possible name', async () => {
    const { stack, ledger } = scene.scene;
    ledger.always('/orders/8', { body: { total: 180 } });
    const name = `refund-desk-${'x'.repeat(51)}`;
    const named = await stack.client.createAgent({ ...aRefundDesk(ledger.url), name });
    const { id } = await stack.client.startRun(named, { order: '8' });
    await scene.runReaches(id, 'waiting_approval');
    const { page } = await open('/console/', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const filtered = ['/runs', '/approvals', '/usage'].map((path) => `${path}?agent=${named}`);
    for (const path of ['/', '/runs', ...filtered, '/approvals?status=open', '/agents', `/agents/${named}`]) {
      await page.goto(`/console${path}`);
      await untilIdle(page);
      // A filter shows the name as the value of its field.
      const shown = page.getByText(name).or(page.locator(`input[value="${name}"]`));
      await shown.first().waitFor({ state: 'attached' });
      expect([path, await page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([path, 390]);
    }
    for (const path of ['/runs', '/agents']) {
      await page.goto(`/console${path}`);
      const place = await page.getByRole('table').getByRole('link', { name }).boundingBox();
      expect((place?.x ?? 0) + (place?.width ?? 391)).toBeLessThanOrEqual(390);
    }
    await stack.client.expect('POST', `/v1/runs/${id}/cancel`);
  });

  it('begin with the first steps while few runs have ended', async () => {
    const { page } = await open('/console/');
    await page.getByRole('list', { name: 'Getting started' }).waitFor();
    const names = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents();
    const places = ['Getting started', 'Production runs of the last 14 days'].map((name) => names.indexOf(name));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places[1]).toBeGreaterThan(places[0] ?? 0);
  });

  it('draw days below one unit of the currency to the scale of the axis', async () => {
    const { stack } = scene;
    await stack.query(
      `insert into run_statistics
        (workspace_id, bucket, group_by, start_at, group_key, currency, runs, cost_micros, durations)
      select $1, '1d', 'status/production', date_trunc('day', now(), 'UTC') - day * interval '1 day', 'succeeded', 'EUR', 1, cost,
        '{"20": 1}' from (values (1, 100000), (2, 50000)) costs (day, cost)`,
      [stack.workspaceId],
    );
    const { page } = await open('/console/');
    const bars = page.locator('figure[aria-label="Cost per day"] [title] > div > span');
    await bars.first().waitFor({ state: 'attached' });
    const heights = await bars.evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().height));
    const [half, full] = heights.slice(-3);
    const plot = await page.locator('figure[aria-label="Cost per day"] [title]').first().boundingBox();
    expect(full).toBeCloseTo(plot?.height ?? 0, 0);
    expect(half).toBeCloseTo((plot?.height ?? 0) / 2, 0);
  });

  it('show what tools answer as text', async () => {
    const { page, errors } = await open(`/console/runs/${waiting}?step=2`);
    await page.getByText('onerror=').first().waitFor();
    expect(await page.title()).not.toContain('hacked');
    expect(await page.locator('main img').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('have their filters in the address, each a step of the history', async () => {
    const { page } = await open('/console/runs');
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No results').waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.goBack();
    await page.getByRole('table', { name: 'Runs' }).getByText('waiting for approval').waitFor();
    await page.goto('/console/runs?status=bogus');
    await page.getByRole('alert').getByText('status').waitFor();
  });

  it('offer new runs without moving the rows', async () => {
    const { page } = await open('/console/runs');
    const first = page.getByRole('table', { name: 'Runs' }).getByRole('link').first();
    await first.waitFor();
    await untilIdle(page);
    const before = await first.boundingBox();
    await scene.stack.client.expect('POST', `/v1/agents/${agent}/runs`, { mode: 'test', input: { order: '1' } });
    const offer = page.getByRole('status').getByRole('button', { name: /new runs?$/ });
    await offer.waitFor();
    expect(await first.boundingBox()).toEqual(before);
    await offer.click();
    await offer.waitFor({ state: 'hidden' });
  });

  it('start a run from the form of the input', async () => {
    const { page } = await open(`/console/agents/${agent}`);
    await page.getByLabel('Order number').fill('1');
    await page.getByRole('button', { name: 'Start test run' }).click();
    await page.waitForURL(/\/runs\/run_/);
    await page.getByRole('treeitem', { name: 'shop.order order', exact: true }).waitFor();
  });

  it('choose a step with the keyboard, and have an address for it', async () => {
    const { page } = await open(`/console/runs/${waiting}`);
    await page.getByRole('treeitem', { name: 'trigger', exact: true }).getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary').getByRole('heading', { name: 'shop.order order' }).waitFor();
    expect(new URL(page.url()).search).toBe('?step=2');
  });

  it('list their keys, and lead to pages by key and by name', async () => {
    const { page, errors } = await open('/console/agents');
    await page.getByRole('table', { name: 'Agents' }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('Search pages, actions, agents, people and ids').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    // Nothing is waited for: the letters must not be lost, nor act as keys of the page.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('refund');
    const field = page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox');
    expect(await field.inputValue()).toBe('refund');
    await page.getByRole('option', { name: 'refund-desk Agent' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'refund-desk' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('lead to actions by name, as far as the role allows', async () => {
    const { page } = await open('/console/agents');
    await page.getByRole('table', { name: 'Agents' }).waitFor();
    const choose = async (text: string, option: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text);
      await page.getByRole('option', { name: option }).click();
    };
    await choose('invite', 'Invite member Action');
    await page.getByRole('dialog', { name: 'Invite member' }).getByLabel('E-mail').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.keyboard.press('Escape');
    await choose('pause refund', 'Pause refund-desk Action');
    await eventually(async () => expect(await focusedText(page)).toBe('Pause'));
    await choose('start refund', 'Start a run of refund-desk Action');
    await page.locator('section[aria-label="Start a run"] input:focus').waitFor();

    const viewer = await aPerson(scene.stack, 'viewer@example.com', { role: 'viewer' });
    const context = await scene.signedIn(viewer.key);
    const { page: other } = await scene.open(context, '/console/');
    await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await other.keyboard.press('Control+k');
    await other.keyboard.type('invite');
    await other.getByRole('option', { name: 'Invite member Needs the scope members:manage', disabled: true }).waitFor();
    await other.keyboard.press('Enter');
    expect(new URL(other.url()).pathname).toBe('/console/');
    await other.getByRole('dialog', { name: 'Go to' }).waitFor();
  });

  it('show what needs the person from every page', async () => {
    scene.scene.ledger.always('/orders/405', { status: 404 });
    const failed = await scene.stack.client.startRun(agent, { order: '405' });
    await scene.runReaches(failed.id, 'failed');
    const { page, errors } = await open('/console/agents');
    await page.getByRole('button', { name: 'What needs you' }).click();
    const dialog = page.getByRole('dialog', { name: 'What needs you' });
    await dialog.getByText('No approval waits for you.').waitFor();
    const runs = dialog.getByRole('list', { name: 'Your failed runs of 24 hours' });
    await runs.getByRole('link').first().waitFor();
    await dialog.getByText('Nothing else is wrong.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await runs.getByRole('link').first().click();
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe(`/console/runs/${failed.id}`);
    expect(errors).toEqual([]);
  });

  it('show what needs attention in production first, and the activity also as a table', async () => {
    scene.scene.ledger.always('/orders/404', { status: 404 });
    const failed = await scene.stack.client.startRun(agent, { order: '404' });
    const { page, errors } = await open('/console/');
    await scene.runReaches(failed.id, 'failed');
    const body = { input: { order: '404' }, mode: 'test' };
    const tried = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    await scene.runReaches(tried.id, 'failed');
    const path = `/v1/runs?agent=${agent}&status=failed&mode=production`;
    const { length } = (await scene.stack.client.expect<{ data: unknown[] }>('GET', path)).data;
    const runs = length === 1 ? '1 failed run' : `${length} failed runs`;
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: `refund-desk ${runs} in 24 hours` }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?agent=${agent}&status=failed&mode=production&since=24h`);
    await page.goto('/console/');
    await attention.getByRole('button', { name: 'Replay runs' }).waitFor();
    await page.getByText('Show as a table').click();
    await page.getByRole('table', { name: 'Runs and cost by day' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('show test runs only to those who ask for them', async () => {
    const { client } = scene.stack;
    const id = await client.createAgent({ name: 'tried', steps: [{ id: 'wait', wait: { for: '1s' } }] });
    const run = await client.expect<{ id: string }>('POST', `/v1/agents/${id}/runs`, { mode: 'test' });
    await scene.runReaches(run.id, 'succeeded');
    const { page } = await open(`/console/agents/${id}`);
    const latest = page.getByRole('region', { name: 'Latest runs' });
    await latest.getByText('No production run yet').waitFor();
    await latest.getByRole('checkbox', { name: 'With test runs' }).check();
    await latest.getByText(run.id).waitFor();
  });
});
