import type { Page } from 'playwright-core';
import { aGroup, aPerson } from '../support/people.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser, focusedText } from './support/console-scene.js';
import { addEndedRuns } from './support/ended-runs.js';
import { addLongRun, FAILED_STEP } from './support/long-runs.js';
import { sleepOver } from './support/long-waits.js';
import { aRefundDesk } from './support/refund-desk.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">\u202E';
const LONG = 'x'.repeat(100_000);

describeInBrowser('the page of a run', () => {
  let scene: ConsoleScene;
  let agent: string;
  let approver: ApiClient;
  /** Ids of two runs that the group `finance` has approved, newest first. */
  let refunds: string[];

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    ledger.always('/orders/7', { body: { total: 180, note: HOSTILE } });
    approver = await aPerson(stack, 'bob@example.com');
    await aGroup(stack, 'finance', ['bob@example.com']);
    agent = await stack.client.createAgent(aRefundDesk(ledger.url));
    refunds = [await aRefund(), await aRefund()].reverse();
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const aRefund = async (): Promise<string> => {
    const { id } = await scene.stack.client.startRun(agent, { order: '7' });
    await scene.runReaches(id, 'waiting_approval');
    const { data } = await approver.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${id}/approvals`);
    await approver.expect('POST', `/v1/runs/${id}/approvals/${data[0]?.id}`, { decision: 'approve' });
    await scene.runReaches(id, 'succeeded');
    return id;
  };

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, options);
    return scene.open(context, `/console${path}`);
  };

  const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
  const lines = (page: Page) => page.getByRole('tree', { name: 'Trace' }).getByRole('treeitem');
  const search = (page: Page) => new URL(page.url()).search;

  it('has an address for each step, and keeps it over a reload', async () => {
    const { page, errors } = await open(`/runs/${refunds[0]}`);
    await inspector(page).getByRole('heading', { name: 'Run' }).waitFor();
    await page.getByRole('link', { name: 'shop.order order' }).click();
    await inspector(page).getByRole('heading', { name: 'shop.order order' }).waitFor();
    expect(search(page)).toBe('?step=2');
    await page.reload();
    await inspector(page).getByRole('heading', { name: 'shop.order order' }).waitFor();
    await page.keyboard.press('Escape');
    await inspector(page).getByRole('heading', { name: 'Run' }).waitFor();
    expect(search(page)).toBe('');
    await page.goto(`/console/runs/${refunds[0]}?step=99`);
    await inspector(page).getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('alert').getByText('There is no step "99"').waitFor();
    expect(errors).toEqual([]);
  });

  it('leads to the runs before and after it in the list, and back to the list', async () => {
    const [newer = '', older = ''] = refunds;
    const list = `/runs?agent=${agent}&status=succeeded`;
    const { page } = await open(list);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'refund-desk' }).first().click();
    await page.waitForURL(`**/runs/${newer}`);
    await page.getByRole('link', { name: 'Next run' }).click();
    await page.waitForURL(`**/runs/${older}`);
    await page.keyboard.press('[');
    await page.waitForURL(`**/runs/${newer}`);
    await page.getByRole('main').getByRole('link', { name: 'Runs', exact: true }).click();
    await page.waitForURL(`**/console${list}`);
  });

  it('draws a long wait short, and says for whom the run waited', async () => {
    const run = await aRefund();
    await sleepOver(scene.stack, run);
    const { page, errors } = await open(`/runs/${run}`);
    await page.getByRole('region', { name: 'Steps' }).getByText('waited 14 h for finance').waitFor();
    expect(errors).toEqual([]);
  });

  it('leads to the run that it waits for, from its facts and from the step', async () => {
    const { client } = scene.stack;
    const form = { type: 'object', properties: { yes: { type: 'boolean' } } };
    await client.createAgent({
      name: 'asker',
      steps: [{ id: 'sure', ask: { to: ['finance'], title: 'Sure?', form } }],
    });
    const tools = [{ name: 'asker', type: 'agent', agent: 'asker' }];
    const caller = await client.createAgent({ name: 'caller', tools, steps: [{ id: 'call', tool: 'asker.run' }] });
    const { id } = await client.startRun(caller);
    const childOf = async () =>
      (await client.expect<{ data: { id: string }[] }>('GET', `/v1/runs?parent=${id}`)).data[0];
    const child = await eventually(async () => {
      const found = await childOf();
      expect(found).toBeDefined();
      return found!.id;
    });
    await scene.runReaches(child, 'waiting_approval');
    const { page, errors } = await open(`/runs/${id}`);
    await page
      .getByText('waits for the run of another agent')
      .getByRole('link', { name: `asker ${child}` })
      .waitFor();
    await page.getByText('which waits for an approval').waitFor();
    await page.getByRole('link', { name: 'asker.run call' }).click();
    await inspector(page).getByRole('link', { name: 'Run of the called agent' }).click();
    await page.waitForURL(`**/runs/${child}`);
    await page.goto(`/console/runs/${id}`);
    await inspector(page).getByRole('link', { name: 'Child runs' }).click();
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'asker' }).first().waitFor();
    expect(search(page)).toBe(`?parent=${id}`);
    expect(errors).toEqual([]);
  });

  it('shows hostile names and answers as text, and long ones', async () => {
    const run = await aRefund();
    const rename = `update run_steps set path = $2, tool = $2, output = jsonb_build_object('note', $3::text)
      where run_id = $1 and path = 'order'`;
    await scene.stack.query(rename, [run, HOSTILE, `${HOSTILE}${LONG}`]);
    const { page, errors } = await open(`/runs/${run}?step=2`);
    await lines(page).getByRole('link').filter({ hasText: 'onerror=' }).waitFor();
    const answer = inspector(page).getByRole('region', { name: 'Response', exact: true });
    await answer.getByText('onerror=').waitFor();
    await inspector(page)
      .getByRole('button', { name: /^Show all 100,\d+ characters$/ })
      .click();
    expect((await answer.innerText()).length).toBeGreaterThan(LONG.length);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).not.toContain('hacked');
    await page.getByRole('link', { name: 'shop.refund refund' }).click();
    await inspector(page).getByRole('heading', { name: 'shop.refund refund' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('is replayed from a step, and compared with the replay', async () => {
    const [run = ''] = refunds;
    const refundCalls = scene.scene.ledger.callsOf('/orders/7/refunds').length;
    const { page, errors } = await open(`/runs/${run}`);
    await page.getByRole('link', { name: 'shop.refund refund' }).click();
    const button = inspector(page).getByRole('button', { name: 'Replay from this step' });
    await button.click();
    const dialog = page.getByRole('dialog', { name: /^Replay from step \d+\?$/ });
    await dialog.getByText('Write operations are simulated').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () => expect(await focusedText(page)).toBe('Replay from this step'));
    await button.click();
    await dialog.getByLabel('Tool results').selectOption('live');
    await dialog.getByRole('button', { name: 'Replay from this step' }).click();
    await page.waitForURL((url) => url.pathname.includes('/runs/run_') && !url.pathname.endsWith(run));
    await page.getByRole('main').locator('[data-status="succeeded"]').first().waitFor();
    await page.getByRole('link', { name: 'Compare with it' }).click();
    const comparison = page.getByRole('list', { name: 'Comparison' });
    await page
      .getByRole('status')
      .getByText(/steps? differ/)
      .waitFor();
    await page.getByRole('region', { name: 'Original' }).getByRole('link', { name: run }).waitFor();
    await comparison.getByRole('button', { name: /^Differences of shop.refund refund/, expanded: true }).waitFor();
    await comparison.locator('.cm-changedLine').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const different = await comparison.getByRole('listitem').count();
    await page.getByRole('button', { name: 'Steps without a difference' }).click();
    await comparison.getByText('shop.order order').first().waitFor();
    expect(await comparison.getByRole('listitem').count()).toBeGreaterThan(different);
    expect(search(page)).toContain('show=all');
    await page.getByRole('button', { name: 'Close comparison' }).click();
    await page.getByRole('link', { name: 'Replayed run' }).click();
    await page.waitForURL(`**/runs/${run}`);
    expect(scene.scene.ledger.callsOf('/orders/7/refunds')).toHaveLength(refundCalls);
    expect(errors).toEqual([]);
  });

  it('is compared with another run of the agent: a line sums up what differs', async () => {
    const [run = '', earlier = ''] = refunds;
    const { page, errors } = await open(`/runs?agent=${agent}&id=${run}&id=${earlier}`);
    await page.getByRole('checkbox', { name: 'Select all shown runs' }).check();
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.waitForURL(`**/runs/${run}?compare=${earlier}`);
    const [old] = await addEndedRuns(scene.stack, agent, 13);
    await scene.stack.query(`update runs set input = '{"order": "B-1009"}' where id = $1`, [old]);
    const summary = page
      .getByRole('status')
      .getByText(/^The outputs are equal, .* (slower|faster|equally fast), same cost\.$/);
    await summary.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.goto(`/console/runs/${run}`);
    await page.getByRole('button', { name: 'Compare with…' }).click();
    const dialog = page.getByRole('dialog');
    const links = dialog.getByRole('link', { name: /^run_/ });
    const field = dialog.getByRole('textbox', { name: /^Id, or text/ });
    await links.nth(9).waitFor();
    await dialog.getByRole('button', { name: 'Show more' }).click();
    await links.nth(12).waitFor();
    await field.fill('B-1009');
    await field.press('Enter');
    await dialog.getByText('order: B-1009').waitFor();
    expect(await links.count()).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    await field.fill('no such text');
    await field.press('Enter');
    await dialog.getByText('No other run of the agent matches.').waitFor();
    await field.fill(earlier);
    await field.press('Enter');
    await dialog.getByRole('link', { name: earlier }).click();
    await summary.waitFor();
    expect(search(page)).toBe(`?compare=${earlier}`);
    expect(errors).toEqual([]);
  });

  it('shows the whole names of its steps on a screen of 1280 pixels', async () => {
    const { page } = await open(`/runs/${refunds[0]}`);
    const name = lines(page).filter({ hasText: 'shop.refund' }).getByRole('link').locator('span').last();
    await name.waitFor();
    const cut = `[...document.querySelectorAll('[role=treeitem] a strong, [role=treeitem] a span')]
      .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0).map((each) => each.textContent)`;
    expect(await page.evaluate<string[]>(cut)).toEqual([]);
  });

  it('says which writes were simulated', async () => {
    scene.scene.ledger.always('/orders/8', { body: { total: 40 } });
    const body = { input: { order: '8' }, mode: 'test' };
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    await scene.runReaches(id, 'succeeded');
    const { page, errors } = await open(`/runs/${id}`);
    await inspector(page).getByText('Simulated writes (1)').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await inspector(page).getByRole('link', { name: 'shop.refund refund' }).click();
    await inspector(page).getByRole('heading', { name: 'shop.refund refund' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('shows who rejected a call, and the comment as text', async () => {
    const { id } = await scene.stack.client.startRun(agent, { order: '7' });
    await scene.runReaches(id, 'waiting_approval');
    const { data } = await approver.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${id}/approvals`);
    const { page, errors } = await open(`/runs/${id}`);
    await page.locator('dd', { hasText: /^180$/ }).waitFor();
    const decision = { decision: 'reject', comment: `Not this month. ${HOSTILE}` };
    await approver.expect('POST', `/v1/runs/${id}/approvals/${data[0]?.id}`, decision);
    await scene.runReaches(id, 'failed');
    const rejection = inspector(page).locator('div', { hasText: 'Rejected by bob@example.com' }).last();
    expect(await rejection.getByRole('paragraph').innerText()).toBe(decision.comment);
    expect(await page.locator('main img').count()).toBe(0);
    await rejection.getByRole('link', { name: 'Open approval' }).click();
    await page.waitForURL(`**/approvals/${data[0]?.id}`);
    expect(errors).toEqual([]);
  });

  it('has up to 500 steps in the document', async () => {
    const { page } = await open(`/runs/${await addLongRun(scene.stack, agent, 500)}`);
    await page.getByText('500 steps').waitFor();
    expect(await lines(page).getByRole('link').count()).toBe(500);
    await page.getByRole('button', { name: 'Errors only (1)' }).click();
    expect(await lines(page).getByRole('link').count()).toBe(1);
    await lines(page).getByRole('link', { name: 'shop.order read' }).click();
    await inspector(page).getByText('No such order.').waitFor();
    expect(search(page)).toBe(`?errors=only&step=${FAILED_STEP}`);
  });

  // No run has more steps, see MAX_RUN_STEPS.
  it('is usable with 10,000 steps, of which those in view are in the document', async () => {
    const steps = 10_000;
    const run = await addLongRun(scene.stack, agent, steps);
    const { page, errors } = await open(`/runs/${run}?step=${steps - 400}`);
    await page.getByText(`${steps.toLocaleString('en-GB')} steps`, { exact: true }).waitFor();
    await inspector(page).getByRole('heading', { name: 'shop.order read' }).waitFor();
    const chosen = lines(page).and(page.locator('[aria-selected="true"]'));
    await chosen.getByText(`[${(steps - 402) / 2}]`).waitFor();

    await chosen.getByRole('link').focus();
    await page.keyboard.press('End');
    await page.waitForURL(`**?step=${steps}`);
    await chosen.getByText(`[${(steps - 2) / 2}]`).waitFor();
    await page.keyboard.press('Home');
    await page.waitForURL('**?step=1');
    await inspector(page).getByRole('heading', { name: 'trigger' }).waitFor();
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('ArrowDown');
    await page.waitForURL('**?step=3');
    expect(await lines(page).count()).toBeLessThan(150);
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.getByRole('textbox', { name: 'Find step' }).fill(`poll[${steps / 4}].`);
    await page.getByRole('status').getByText('2 shown').waitFor();
    await lines(page).getByRole('link', { name: 'wait pause' }).click();
    await page.waitForURL(`**step=${steps / 2 + 3}**`);
    await page.getByRole('textbox', { name: 'Find step' }).fill('nothing');
    await page.getByText('No results').waitFor();
    expect(errors).toEqual([]);
  });
});
