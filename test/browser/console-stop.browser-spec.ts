import { addWorkspace } from '../support/added-workspace.js';
import { eventually } from '../support/eventually.js';
import { preloading } from '../faults/preloading.js';
import { aPerson } from '../support/people.js';
import { aToolAgent } from '../support/tool-agents.js';
import { accessibilityFindings } from './support/accessibility.js';
import type { Stack } from '../support/stack.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const LOCKED = `from pg_locks where relation = 'agents'::regclass and granted and mode = 'AccessExclusiveLock'`;

describeInBrowser('the stop in the console', () => {
  let scene: ConsoleScene<Stack>;

  beforeAll(async () => {
    const env = { DATABASE_POOL_SIZE: '2', STOP_PORT: '0', ...preloading('block.mjs', { BLOCK_MS: '20000' }) };
    scene = await ConsoleScene.alone({ why: 'needs STOP_PORT and a small DATABASE_POOL_SIZE', env });
  });
  afterEach(async () => {
    await scene.closePages();
    await scene.stack.client.expect('POST', '/v1/workspace/resume', {});
  });
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}, key?: string) => {
    const context = await scene.signedIn(key ?? scene.stack.adminKey, options);
    return scene.open(context, path);
  };

  const status = async (): Promise<string> =>
    (await scene.stack.client.expect<{ status: string }>('GET', '/v1/workspace')).status;

  it('is two keys and a confirmation away on each page, and no key alone stops anything', async () => {
    const { page, errors } = await open('/console/agents');
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: 'Stop all agents?' });
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await reason.and(page.locator(':focus')).waitFor();
    expect(await reason.inputValue()).toBe('');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await status()).toBe('active');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.keyboard.type('Refunds are paid twice');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('No further calls start').waitFor();
    expect(await status()).toBe('stopped');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Resume agents …' }).waitFor();
    await page.getByRole('link', { name: 'Show and resume' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('reaches the second port while the api does not respond, with the session of the person', async () => {
    // The API handles the stop request of its first port only after this test, which must not stop the next one.
    const { adminKey } = await addWorkspace(scene.stack);
    const { page, errors } = await open('/console/agents', {}, adminKey);
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    const { api } = scene.stack;
    api.signal('SIGUSR2');
    await api.until(() => Promise.resolve(api.log().includes('blocking')), 'the block');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    const stopped = page.waitForResponse(
      (response) => response.request().method() === 'POST' && !response.url().startsWith(scene.stack.baseUrl),
    );
    expect((await stopped).status()).toBe(200);
    await page.getByRole('dialog').getByText('No further calls start').waitFor();
    expect(errors).toEqual([]);
    await eventually(async () => expect((await fetch(`${scene.stack.baseUrl}/healthz`)).ok).toBe(true), {
      within: 60_000,
    });
  });

  it('shows on each page of another browser: who, why, and the calls in flight', async () => {
    const { client } = scene.stack;
    const viewer = await aPerson(scene.stack, 'vera@example.com', { role: 'viewer' });
    const body = { name: 'browser', kind: 'live', role: 'viewer', member: 'vera@example.com' };
    const { key } = await client.expect<{ key: string }>('POST', '/v1/api-keys', body);
    expect((await viewer.call('GET', '/v1/me')).status).toBe(200);
    scene.scene.ledger.script('/slow', { hang: true });
    const agent = await client.createAgent(aToolAgent('slow', scene.scene.ledger.url, [['write', '/slow']]));
    await client.startRun(agent);
    await scene.scene.ledger.called('/slow');
    const { page, errors } = await open('/console/runs', {}, key);
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    const stopping = scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', {
      reason: 'Prices are wrong',
      drain_timeout_ms: 30_000,
    });
    const banner = page.getByRole('status').filter({ hasText: 'All agents are stopped.' });
    await banner.getByText('Prices are wrong').waitFor();
    for (const text of ['admin@example.com', '1 call is in flight.']) await banner.getByText(text).waitFor();
    await banner.getByRole('link', { name: 'Show the stop' }).click();
    await page.getByRole('list', { name: 'Calls in flight' }).getByText('tool.write').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const resume = page.getByRole('button', { name: 'Resume' });
    expect(await resume.getAttribute('aria-disabled')).toBe('true');
    scene.scene.ledger.release('/slow');
    await stopping;
    await banner.getByText('No call is in flight.').waitFor();
    expect(errors).toEqual([]);
  });

  it('shows a stop that happened between the first answers to a page', async () => {
    const context = await scene.signIn(scene.stack.adminKey);
    let release = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (release = resolve));
    await context.route(/\/v1\/changes/, async (route) => {
      await stopped;
      await route.continue();
    });
    const read = context.waitForEvent('response', (response) => /\/v1\/workspace$/.test(response.url()));
    const { page } = await scene.open(context, '/console/agents');
    await (await read).finished();
    await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', { reason: 'Prices are wrong' });
    release();
    await page.getByRole('status').getByText('Prices are wrong').waitFor({ timeout: 30_000 });
  });

  it('works on a phone while every connection to the database is taken', async () => {
    const { page } = await open('/console/agents', { viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    const { stack } = scene;
    // The requests below wait for this table lock and occupy every connection of the database pool. Every other request
    // therefore waits for a connection.
    const released = stack
      .query(`do $$ begin lock table agents in access exclusive mode; perform pg_sleep(3600); end $$`)
      .catch(() => undefined);
    await eventually(async () => expect(await stack.query(`select ${LOCKED}`)).toHaveLength(1));
    const stuck = Array.from({ length: 12 }, () => stack.client.call('GET', '/v1/agents'));
    const waiting = `select from pg_stat_activity where application_name = 'api' and wait_event_type = 'Lock'`;
    await eventually(async () => expect((await stack.query(waiting)).length).toBeGreaterThanOrEqual(2));
    await page.goto('/console/stop');
    const button = page.getByRole('button', { name: 'Stop all agents' });
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await button.tap();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Everything hangs');
    await dialog.getByRole('button', { name: 'Stop all agents' }).tap();
    await dialog.getByText('No further calls start').waitFor();
    expect(await stack.query(`select ${LOCKED}`)).toHaveLength(1);
    await stack.query(`select pg_cancel_backend(pid) ${LOCKED}`);
    await released;
    await Promise.all(stuck);
    await page.getByText('Stop again').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('main:focus').waitFor();
    expect(await status()).toBe('stopped');
  });

  it('is ended on its page, with a choice about queued runs', async () => {
    await scene.stack.client.expect('POST', '/v1/workspace/emergency-stop', { reason: 'Test' });
    const { page, errors } = await open('/console/stop');
    await page.getByRole('region', { name: 'Stopped' }).getByText('admin@example.com').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.getByRole('button').last().textContent()).toBe('Resume');
    await page.getByText('Stop again').click();
    await page.getByRole('button', { name: 'Stop all agents' }).waitFor();
    await page.getByLabel('Runs that had not started').selectOption('cancel');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('are running').waitFor();
    expect(await status()).toBe('active');
    expect(errors).toEqual([]);
  });
});
