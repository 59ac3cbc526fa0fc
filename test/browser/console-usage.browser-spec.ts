import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { aToolAgent } from '../support/tool-agents.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

describeInBrowser('the usage in the console', () => {
  let scene: ConsoleScene;
  let agent: string;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { client } = scene.stack;
    agent = await client.createAgent(aToolAgent('reader', scene.scene.ledger.url, [['read', '/x']]));
    const runs = [await client.startRun(agent), await client.startRun(agent)];
    for (const { id } of runs) await scene.runReaches(id, 'succeeded');
    await scene.stack.query('update runs set cost_micros = 1500000 where id = $1', [runs[0]?.id]);
    await scene.stack.query(`update runs set cost_micros = 250000, currency = 'USD' where id = $1`, [runs[1]?.id]);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, options);
    const watched = await scene.open(context, `/console${path}`);
    await untilIdle(watched.page);
    return watched;
  };
  const untilIdle = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();

  it('is reached by its address, and accessible', async () => {
    const { page, errors } = await open('/usage');
    await page.getByRole('heading', { level: 1, name: 'Usage', exact: true }).waitFor();
    await page.getByRole('table', { name: 'Usage' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('keeps currencies apart, as charts and as a table', async () => {
    const { page } = await open('/usage?since=7d');
    const row = page.getByRole('table', { name: 'Usage' }).getByRole('row').last();
    await row.getByText('€1.50 + US$0.25').waitFor();
    const days = page.getByRole('figure', { name: 'Cost in EUR by day' }).locator('[title]');
    expect(await days.count()).toBe(8);
    expect(await days.last().getAttribute('title')).toContain('€1.50');
    await page.getByRole('figure', { name: 'Cost in USD by day' }).waitFor();
    await page.getByText('none in the period before').first().waitFor();
  });

  it('has grouping and period in the address, each a step of the history', async () => {
    const { page } = await open('/usage?since=7d');
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('agent');
    await page.getByRole('table', { name: 'Usage' }).getByRole('link', { name: 'reader' }).waitFor();
    expect(new URL(page.url()).search).toBe('?since=7d&group_by=agent');
    const bars = page.getByRole('list', { name: 'Runs by agent' }).getByRole('listitem');
    expect(await bars.allInnerTexts()).toEqual(['reader\n2']);
    await page.goBack();
    await page.getByRole('columnheader', { name: 'Day' }).waitFor();
    await page.getByRole('textbox', { name: 'From' }).fill('2020-01-01');
    await page.getByRole('textbox', { name: 'To' }).fill('2020-01-31');
    await page.getByText('No results').waitFor();
    expect(new URL(page.url()).search).toBe('?since=2020-01-01T00%3A00%3A00Z&until=2020-02-01T00%3A00%3A00Z');
    await page.goto('/console/usage?group_by=bogus');
    await page.getByRole('alert').getByText('group_by').first().waitFor();
    await page.goto('/console/usage?since=2020-01-01T00:00:00Z');
    await page.getByRole('alert').waitFor();
  });

  it('shows what is left of daily budgets and who set them, and how to set the first one', async () => {
    const { page } = await open(`/usage?agent=${agent}`);
    await page.getByText('This agent has no daily budget').waitFor();
    await page.getByText('budget: { per_day: "5.00", currency: EUR }').waitFor();
    const limits = { budget: { per_day: '2.00', currency: 'EUR' } };
    const id = await scene.stack.client.createAgent({ name: 'frugal', steps: [{ id: 'a', output: 1 }], limits });
    await page.goto('/console/usage');
    const row = page.getByRole('table', { name: 'Daily budgets' }).getByRole('row').filter({ hasText: 'frugal' });
    await row.getByText('€0.00 of €2.00 today').waitFor();
    await row.getByRole('cell', { name: /^€2.00\s*begins again/ }).waitFor();
    expect(await row.getByRole('link', { name: 'Version 1' }).getAttribute('href')).toBe(`/console/agents/${id}`);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('is downloaded as CSV, one line for each group and currency', async () => {
    const { page, errors } = await open('/usage?group_by=agent');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toMatch(/^usage-by-agent-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    expect((await text(await file.createReadStream())).split('\r\n')).toEqual([
      'agent,agent_name,runs,input_tokens,output_tokens,cached_tokens,cost,currency,cost_is_partial',
      `${agent},reader,1,0,0,0,1.50,EUR,false`,
      `${agent},reader,1,0,0,0,0.25,USD,false`,
      '',
    ]);
    expect(errors).toEqual([]);
  });

  it('does not scroll sideways on a phone', async () => {
    const { page } = await open('/usage?since=90d', { viewport: { width: 320, height: 700 }, hasTouch: true });
    await page.getByRole('table', { name: 'Usage' }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });
});
