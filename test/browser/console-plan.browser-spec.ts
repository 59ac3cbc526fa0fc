import type { Page } from 'playwright-core';
import type { JsonObject } from '@app/kernel';
import { aGroup } from '../support/people.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';
import { aRefundDesk } from './support/refund-desk.js';

const order = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  tool: 'shop.order',
  with: { id: '8' },
  ...more,
});

/** Returns the definition of an agent with a branch, a loop, steps at the same time and a gate. */
function aClaimDesk(url: string): JsonObject {
  const id = '${{ input.order }}';
  const refund = { tool: 'shop.refund', with: { id, amount: 5 } };
  return {
    ...aRefundDesk(url),
    name: 'claim-desk',
    steps: [
      order('order', { with: { id } }),
      { id: 'facts', let: { total: '${{ steps.order.output.total }}' } },
      {
        id: 'route',
        switch: [
          { when: 'steps.facts.output.total > 100.0', steps: [{ id: 'sign', approval: 'finance' }] },
          { steps: [{ id: 'small', ...refund }] },
        ],
      },
      {
        id: 'lines',
        for_each: '${{ steps.order.output.lines }}',
        as: 'line',
        steps: [{ id: 'check', assert: 'true' }, order('restock', { if: 'line.qty > 0.0' })],
      },
      { id: 'both', parallel: [{ steps: [order('left')] }, { steps: [order('right')] }] },
      { id: 'result', output: { done: true } },
    ],
    on_failure: [order('alarm')],
  };
}

describeInBrowser('the plan on the page of a run', () => {
  let scene: ConsoleScene;
  let agent: string;
  let run: string;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    const lines = [{ qty: 2 }, { qty: 0 }];
    ledger.always('/orders/7', { body: { total: 180, lines } });
    ledger.always('/orders/8', { body: { total: 40, lines } });
    await aGroup(stack, 'finance', []);
    agent = await stack.client.createAgent(aClaimDesk(ledger.url));
    ({ id: run } = await stack.client.startRun(agent, { order: '8' }));
    await scene.runReaches(run, 'succeeded');
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (id: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, { viewport: { width: 1440, height: 900 }, ...options });
    return scene.open(context, `/console/runs/${id}`);
  };
  const plan = (page: Page) => page.getByRole('list', { name: 'Plan', exact: true });
  const node = (page: Page, text: RegExp) => plan(page).locator('[data-node]').filter({ hasText: text });
  const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });

  it('has the taken branch and the rounds in its names, and leads from a node to its step', async () => {
    const { page, errors } = await open(run);
    await node(page, /^order ?, tool, succeeded/).waitFor();
    const large = node(page, /^when steps\.facts\.output\.total > 100\.0 ?, branch, not reached/);
    await large.getByText('false').waitFor();
    await large.getByText('steps.facts.output.total = 40').waitFor();
    await node(page, /^facts ?, let, succeeded/).waitFor();
    await node(page, /^restock\b/)
      .getByText('true 1×, false 1×, last false')
      .waitFor();
    await node(page, /^sign ?, approval, not reached/).waitFor();
    await node(page, /^lines ?2 rounds ?, for_each, succeeded/).waitFor();
    await page
      .getByRole('list', { name: 'If the run fails' })
      .getByText(/not reached/)
      .waitFor();
    await node(page, /^small\b/).click();
    await page.waitForURL('**?step=3');
    await inspector(page).getByRole('heading', { name: 'shop.refund small' }).waitFor();
    const line = page.getByRole('tree', { name: 'Trace' }).getByRole('treeitem', { name: 'shop.refund small' });
    expect(await line.getAttribute('aria-selected')).toBe('true');
    await node(page, /^small ?, tool, succeeded, selected/).waitFor();
    await page.getByRole('link', { name: 'shop.order right' }).click();
    await node(page, /^right ?, tool, succeeded, selected/).waitFor();
    expect(errors).toEqual([]);
  });

  it('opens the closed group of the trace that has the step', async () => {
    const { page, errors } = await open(run);
    const line = (name: RegExp) => page.getByRole('tree', { name: 'Trace' }).getByRole('treeitem', { name });
    await line(/restock/).waitFor();
    await line(/^lines/).click();
    await line(/restock/).waitFor({ state: 'detached' });
    await node(page, /^restock\b/).click();
    await line(/restock/).waitFor();
    await inspector(page)
      .getByRole('heading', { name: /restock/ })
      .waitFor();
    expect(errors).toEqual([]);
  });

  it('follows the arrow keys, and Enter selects', async () => {
    const { page, errors } = await open(run);
    // A node whose step has not been read yet is no link, and the keys pass it over.
    for (const last of [/^right ?, tool, succeeded/, /^result ?, output, succeeded/]) await node(page, last).waitFor();
    await node(page, /^order ?, tool, succeeded/).focus();
    // The branch that the run did not take is no link.
    for (const key of ['End', 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL('**?step=3');
    await node(page, /^small\b/)
      .and(page.locator(':focus'))
      .waitFor();
    expect(errors).toEqual([]);
  });

  it('shows the round of a loop that a person chooses, by keyboard and on a phone', async () => {
    const { page, errors } = await open(run, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.locator('summary', { hasText: 'Plan' }).click();
    const rounds = page.getByRole('group', { name: 'Rounds of lines' });
    const round = rounds.getByRole('combobox', { name: 'Round of lines' });
    expect(await round.inputValue()).toBe('1');
    await node(page, /^check ?, assert, succeeded/).waitFor();
    await round.selectOption('[0] succeeded');
    await page.waitForURL(/step=/);
    await node(page, /^restock ?, tool, succeeded/).waitFor();
    await rounds.getByRole('button', { name: 'Next round of lines' }).press('Enter');
    await node(page, /^restock ?, tool, skipped/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('lights up while the run goes on', async () => {
    const { id } = await scene.stack.client.startRun(agent, { order: '7' });
    const { page, errors } = await open(id);
    await node(page, /^sign ?, approval, open/).waitFor();
    await node(page, /^result ?, output, not reached/).waitFor();
    expect(errors).toEqual([]);
  });

  it.each([
    ['on a desktop', {}],
    ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
    ['on a small phone', { viewport: { width: 320, height: 700 }, hasTouch: true }],
  ])('has no accessibility findings and fits, %s', async (_, options) => {
    const { page, errors } = await open(run, options);
    await inspector(page).getByRole('region', { name: 'Output' }).waitFor();
    const fold = page.locator('summary', { hasText: 'Plan' });
    if ('hasTouch' in options) await fold.click();
    await node(page, /^small ?, tool, succeeded/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (!('hasTouch' in options)) return;
    const output = await inspector(page).getByRole('region', { name: 'Output' }).boundingBox();
    expect(output!.y + output!.height).toBeLessThan(options.viewport.height);
    expect(errors).toEqual([]);
  });

  it('stays usable with 100 steps', async () => {
    const { stack, ledger } = scene.scene;
    const steps = Array.from({ length: 100 }, (_, at) => order(`step_${at}`));
    const long = await stack.client.createAgent({ ...aRefundDesk(ledger.url), name: 'long-plan', steps });
    const { id } = await stack.client.startRun(long, { order: '8' });
    await scene.runReaches(id, 'succeeded');
    const { page, errors } = await open(`${id}?step=95`);
    const chosen = node(page, /^step_93 ?, tool, succeeded/);
    await chosen.waitFor();
    await page.getByRole('tree', { name: 'Trace' }).getByRole('treeitem', { name: 'shop.order step_93' }).waitFor();
    const box = await chosen.boundingBox();
    expect(box!.y).toBeGreaterThan(0);
    expect(box!.y + box!.height).toBeLessThan(900);
    expect(errors).toEqual([]);
  });
});
