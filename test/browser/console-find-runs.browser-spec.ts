import type { BrowserContextOptions } from 'playwright-core';
import { aToolAgent } from '../support/tool-agents.js';
import { addEndedRuns } from './support/ended-runs.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

describeInBrowser('the runs that a person looks for', () => {
  let scene: ConsoleScene;
  let agent: string;
  let found: string;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack } = scene;
    agent = await stack.client.createAgent(aToolAgent('desk', scene.scene.ledger.url, []));
    const ids = await addEndedRuns(stack, agent, 5);
    found = ids[2]!;
    await stack.query(`update runs set input = '{"order": "A-1002"}' where id = $1`, [found]);
    const fail = `update runs set status = 'failed', error = jsonb_build_object('code', 'tool_error', 'step', 'refund',
      'message', 'The shop returned 503 for order ' || $2::text || '.') where id = $1`;
    for (const [n, id] of ids.slice(3).entries()) await stack.query(fail, [id, n]);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options?: BrowserContextOptions) => {
    const { page } = await scene.open(await scene.signedIn(scene.stack.adminKey, options), `/console${path}`);
    return page;
  };
  const rows = '//table//tbody/tr';

  it('are found by a text of their input, which the address and a chip show', async () => {
    const page = await open('/runs');
    await page.getByRole('textbox', { name: 'Error, input or output contains' }).fill('a-1002');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter contains a-1002' }).waitFor();
    await page.getByRole('row', { name: 'order: A-1002' }).waitFor();
    expect(await page.locator(rows).count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?q=a-1002');
  });

  it('show their input on the page of the agent, and above the error of a failed run', async () => {
    const page = await open(`/agents/${agent}`);
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByRole('row').filter({ hasText: found }).getByText('order: A-1002').waitFor();
    await scene.stack.query(`update runs set input = '{"order": "B-7"}' where status = 'failed' and agent_id = $1`, [
      agent,
    ]);
    await page.goto('/console/runs?status=failed');
    const row = page.getByRole('row').filter({ hasText: 'order 1.' });
    await row.getByText('order: B-7').waitFor();
    await row.getByText('The shop returned 503 for order 1.').waitFor();
  });

  it('are one row if they failed alike, which leads to the runs and replays all of them', async () => {
    const page = await open('/runs/errors');
    const row = page.locator(rows, { hasText: 'call failed at refund' });
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    await row.getByRole('button', { name: 'Replay runs' }).click();
    await page.getByRole('dialog').getByText('have ended: 2.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await row.getByRole('link', { name: /^The shop returned 503/ }).click();
    await page.getByRole('button', { name: /^Remove filter same error/ }).waitFor();
    await page.getByText('The shop returned 503 for order 1.').waitFor();
    expect(await page.locator(rows).count()).toBe(2);
  });

  it('have the columns that the person chose, also after a reload', async () => {
    const page = await open('/runs');
    const column = page.getByRole('columnheader', { name: 'Tokens' });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Tokens' }).click();
    await column.waitFor();
    await page.reload();
    await column.waitFor();
  });

  it('are filtered by forms of single filters, which the key f and the chips open', async () => {
    const page = await open('/runs');
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('menuitem', { name: 'Active time' }).click();
    await page.getByRole('textbox', { name: 'At least' }).fill('3600');
    await page.keyboard.press('Enter');
    await page.getByText('No run matches the filters.').waitFor();
    expect(new URL(page.url()).search).toBe('?min_duration_ms=3600000');
    await page.getByRole('button', { name: 'active time at least 1 h', exact: true }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'At least' }).fill('');
    await page.getByRole('dialog').getByRole('textbox', { name: 'At most' }).fill('3600');
    await page.getByRole('button', { name: 'Apply filter' }).click();
    await page.getByRole('button', { name: 'Remove filter active time at most 1 h' }).waitFor();
    await page.getByRole('link', { name: 'desk', exact: true }).nth(4).waitFor();
    expect(await page.locator(rows).count()).toBe(5);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('menuitem', { name: 'Cost' }).click();
    await page.getByRole('textbox', { name: 'At most' }).fill('1,5');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('max_cost').first().waitFor();
  });

  it('are found by the palette by a text of their error', async () => {
    const page = await open('/agents');
    await page.getByRole('link', { name: 'desk' }).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Page, action/ }).fill('shop RETURNED 503');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter contains shop RETURNED 503' }).waitFor();
    await page.getByRole('link', { name: 'desk', exact: true }).nth(1).waitFor();
    expect(await page.locator(rows).count()).toBe(2);
  });

  it('have their filters behind one button on a phone, like other lists, with a chip for each set filter', async () => {
    for (const [path, field, chip] of [
      ['/runs?status=failed', 'Status', 'status failed'],
      ['/approvals?status=approved', 'Status', 'status approved'],
      ['/usage?since=7d', 'Period', 'period last 7 days'],
      ['/settings/audit?action=agent.create', 'Action', 'action created the agent'],
    ] as const) {
      const page = await open(path, { viewport: { width: 320, height: 700 }, hasTouch: true });
      const button = page.getByRole('button', { name: 'Filters (1)' });
      await button.waitFor();
      const choice = page.getByRole('combobox', { name: field, exact: true });
      expect([path, await choice.count()]).toEqual([path, 0]);
      await button.click();
      await choice.waitFor();
      expect([path, await page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([path, 320]);
      await page.getByRole('button', { name: `Remove filter ${chip}` }).click();
      await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
      expect(new URL(page.url()).search).not.toContain(path.split('=')[1]);
    }
  });

  it.each([320, 390])('are cards on a phone of %s pixels, with all that the table shows', async (width) => {
    const page = await open(`/runs?agent=${agent}&status=succeeded`, { viewport: { width, height: 800 } });
    const card = page.getByRole('row').filter({ hasText: 'A-1002' });
    for (const text of ['succeeded', 'desk', 'order: A-1002', /min ago$/, '0 ms', '€0.00'])
      await card.getByText(text).filter({ visible: true }).waitFor();
    const status = await card.getByText('succeeded').boundingBox();
    const name = await card.getByRole('link', { name: 'desk' }).boundingBox();
    expect(name!.y).toBeGreaterThan(status!.y + status!.height - 1);
    await page.getByText('Select all', { exact: true }).click();
    await page.getByText('3 selected').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    const table = page.getByRole('table', { name: 'Runs' });
    expect(await table.evaluate((t) => t.scrollWidth - (t.parentElement?.clientWidth ?? 0))).toBeLessThanOrEqual(0);
  });

  it('have all usual columns on a screen of 1280 pixels, whatever the error says', async () => {
    const { stack } = scene;
    const agent = await stack.client.createAgent(aToolAgent('wide', scene.scene.ledger.url, []));
    const [id] = await addEndedRuns(stack, agent, 1);
    const fail = `update runs set status = 'failed', initiator = $2,
      error = jsonb_build_object('code', 'tool_error', 'message', repeat('The shop failed. ', 20)) where id = $1`;
    await stack.query(fail, [id, 'a.person.with.a.long.name@department.example.com']);
    const page = await open(`/runs?agent=${agent}`, { viewport: { width: 1280, height: 800 } });
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByText('The shop failed.').waitFor();
    expect(await table.evaluate((t) => t.scrollWidth - (t.parentElement?.clientWidth ?? 0))).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'More filters' }).click();
    const menu = await page.getByRole('menu').boundingBox();
    expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(1280 - 12);
  });

  it('are the last run of an agent only if they are production runs', async () => {
    const { client } = scene.stack;
    const agent = await client.createAgent(aToolAgent('only-tested', scene.scene.ledger.url, []));
    const body = { mode: 'test', input: {} };
    const { id } = await client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    await scene.runReaches(id, 'succeeded');
    const page = await open('/agents');
    const row = page.getByRole('table', { name: 'Agents' }).getByRole('row').filter({ hasText: 'only-tested' });
    await row.getByText('never').waitFor();
  });
});
