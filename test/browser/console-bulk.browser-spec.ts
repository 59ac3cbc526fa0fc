import type { Page } from 'playwright-core';
import { aGroup, aPerson } from '../support/people.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aToolAgent } from '../support/tool-agents.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser, focusedText } from './support/console-scene.js';
import { addEndedRuns } from './support/ended-runs.js';
import { aRefundDesk } from './support/refund-desk.js';

/** Number of runs. The run list shows fewer on its first page. */
const MANY = 55;

describeInBrowser('bulk actions in the console', () => {
  let scene: ConsoleScene;
  let approver: ApiClient;
  let waitingAgent: string;
  let writingAgent: string;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    ledger.always('/orders/7', { body: { total: 180 } });
    approver = await aPerson(stack, 'bob@example.com');
    await aGroup(stack, 'finance', ['bob@example.com']);
    waitingAgent = await stack.client.createAgent(aRefundDesk(ledger.url));
    writingAgent = await stack.client.createAgent(aToolAgent('writer', ledger.url, [['write', '/paid']]));
    await addEndedRuns(stack, writingAgent, MANY);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}, key?: string) => {
    const context = await scene.signedIn(key ?? scene.stack.adminKey, options);
    return scene.open(context, `/console${path}`);
  };

  const waitingRuns = async (count: number): Promise<string[]> => {
    const starts = Array.from({ length: count }, () => scene.stack.client.startRun(waitingAgent, { order: '7' }));
    const ids = (await Promise.all(starts)).map(({ id }) => id);
    for (const id of ids) await scene.runReaches(id, 'waiting_approval');
    return ids;
  };

  const reject = async (run: string): Promise<void> => {
    const { data } = await approver.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${run}/approvals`);
    await approver.expect('POST', `/v1/runs/${run}/approvals/${data[0]?.id}`, { decision: 'reject' });
    await scene.runReaches(run, 'failed');
  };

  const results = (page: Page) => page.getByRole('table', { name: 'Results' });
  const row = (page: Page, run: string) => results(page).getByRole('row').filter({ hasText: run });

  it('cancel the chosen runs, and name the refusal of one that ended meanwhile', async () => {
    const [ending = '', cancelled = '', kept = ''] = await waitingRuns(3);
    const { page, errors } = await open(`/runs?agent=${waitingAgent}&status=waiting_approval`);
    for (const id of [ending, cancelled]) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await reject(ending);
    const button = page.getByRole('button', { name: 'Cancel runs' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel these runs?' });
    await dialog.getByText('2 runs are selected.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await eventually(async () => expect(await focusedText(page)).toBe('Cancel runs'));
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel runs' }).click();

    await page.waitForURL(/\/runs\/bulk\/bulk_\w+$/);
    await page.getByRole('status').getByText('2 of 2').waitFor();
    await row(page, ending).getByText('The run had already ended.').waitFor();
    await row(page, cancelled).getByText('cancelled').waitFor();
    expect((await scene.stack.client.run(kept)).status).toBe('waiting_approval');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('failed');
    await row(page, cancelled).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?only=failed');
    await page.getByRole('link', { name: ending }).click();
    await page.getByRole('heading', { level: 1, name: 'refund-desk' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('replay all runs that match, also those that are not shown, and continue over a reload', async () => {
    await scene.stack.endWorkers();
    const { page, errors } = await open(`/runs?agent=${writingAgent}&mode=production`);
    await page.getByRole('checkbox', { name: 'Select all shown runs' }).check();
    await page.getByText('50 selected').waitFor();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByText('All matching runs selected').waitFor();
    await page.getByRole('button', { name: 'Replay runs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay these runs?' });
    await dialog.getByText(`All runs that match and have ended: ${MANY}.`).waitFor();
    await dialog.getByText('Write operations are simulated').waitFor();

    await dialog.getByLabel('Mode').selectOption('production');
    const replay = dialog.getByRole('button', { name: 'Replay runs' });
    expect(await replay.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('checkbox', { name: 'The runs may execute their write operations again' }).check();
    expect(await replay.getAttribute('aria-disabled')).toBeNull();
    await dialog.getByLabel('Mode').selectOption('test');
    await dialog.getByRole('textbox', { name: 'Limit' }).fill('many');
    await replay.click();
    await dialog.getByRole('alert').getByText('limit').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Limit' }).getAttribute('aria-invalid')).toBe('true');
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Limit' }).fill(String(MANY));
    await replay.click();

    await page.waitForURL(/\/runs\/bulk\/bulk_\w+$/);
    await page.getByText('No worker has begun yet').waitFor();
    await page.reload();
    await page.getByRole('status').getByText(`0 of ${MANY}`).waitFor();
    await scene.stack.addWorker();
    await page.getByRole('status').getByText(`${MANY} of ${MANY}`).waitFor();
    await results(page).getByText('pending').first().waitFor({ state: 'detached' });
    const replays = await results(page).getByRole('row').getByRole('link').count();
    expect(replays).toBe(2 * MANY);
    await page.getByRole('link', { name: `Show ${MANY} runs in the list` }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText('test', { exact: true }).first().waitFor();
    expect(scene.scene.ledger.callsOf('/paid')).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('show of each replay how it ended, not only that it was created', async () => {
    const { client } = scene.stack;
    scene.scene.ledger.always('/gone', { status: 404 });
    const agent = await client.createAgent(aToolAgent('half', scene.scene.ledger.url, [['read', '/gone']]));
    const { id } = await client.startRun(agent, {});
    await scene.runReaches(id, 'failed');
    const { page, errors } = await open(`/runs?agent=${agent}`);
    await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await page.getByRole('button', { name: 'Replay runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay runs' }).click();
    await page.getByText('Replays: 0 succeeded, 1 failed.').waitFor();
    const { error } = await client.run(id);
    for (const text of ['half', 'failed', error?.message ?? 'no error'])
      await row(page, id).getByText(text, { exact: true }).waitFor();
    expect(await row(page, id).getByText('succeeded').count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('group the reasons of rejections with what to do, and repeat only those that may succeed now', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(aToolAgent('halted', scene.scene.ledger.url, [['read', '/orders/7']]));
    const [first, second] = await Promise.all([client.startRun(agent, {}), client.startRun(agent, {})]);
    for (const { id } of [first, second]) await scene.runReaches(id, 'succeeded');
    await client.expect('POST', '/v1/workspace/emergency-stop', { reason: 'bulk' });
    const { page, errors } = await open(`/runs?agent=${agent}`);
    await page.getByRole('checkbox', { name: 'Select all shown runs' }).check();
    await page.getByRole('button', { name: 'Replay runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay runs' }).click();
    await page.getByText('0 replayed, 2 rejected, 0 remaining.').waitFor();
    const reasons = page.getByRole('list', { name: 'Reasons of the rejections' });
    expect(await reasons.getByRole('listitem').allInnerTexts()).toEqual([
      '2 All agents are stopped. Wait until an admin ends the emergency stop.',
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await client.expect('POST', '/v1/workspace/resume');
    const before = page.url();
    await page.getByRole('button', { name: 'Retry rejected runs (2)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry rejected runs (2)' }).click();
    await page.getByText('2 replayed, 0 rejected, 0 remaining.').waitFor();
    expect(page.url()).not.toBe(before);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('are visible to people who may not carry them out, with the reason', async () => {
    const { client } = scene.stack;
    const { member } = await client.expect<{ member: string }>('GET', '/v1/me');
    const wanted = { name: 'Reads only', kind: 'live', role: 'viewer', member };
    const { key } = await client.expect<{ key: string }>('POST', '/v1/api-keys', wanted);
    const { page } = await open(`/runs?agent=${writingAgent}`, {}, key);
    await page.getByRole('checkbox', { name: 'Select all shown runs' }).check();
    for (const name of ['Cancel runs', 'Replay runs']) {
      const button = page.getByRole('button', { name });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      expect(await button.getAttribute('title')).toContain('viewer');
      await button.focus();
      await page.keyboard.press('Enter');
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('say which runs they are impossible for', async () => {
    const { page } = await open(`/runs?agent=${writingAgent}&status=succeeded`);
    await page.getByRole('checkbox', { name: 'Select all shown runs' }).check();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    const button = page.getByRole('button', { name: 'Cancel runs' });
    expect(await button.getAttribute('title')).toContain('have ended');
    await page.goto('/console/runs/bulk/bulk_unknown');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
  });

  it('are started on a phone with a thumb', async () => {
    const [run = ''] = await waitingRuns(1);
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await open(`/runs?agent=${waitingAgent}`, phone);
    await page.getByRole('checkbox', { name: `Select ${run}` }).tap();
    for (const name of ['Cancel runs', 'Replay runs', 'Clear selection'])
      expect((await page.getByRole('button', { name }).boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel runs' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel runs' }).tap();
    await page.getByRole('status').getByText('1 of 1').waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.goto(`${new URL(page.url()).pathname}?only=bogus`);
    await page.getByRole('alert').getByText('bogus').waitFor();
  });
});
