import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { aGroup, aPerson } from '../support/people.js';
import type { ApiClient } from '../support/api-client.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser, focusedText } from './support/console-scene.js';
import { aRefundDesk } from './support/refund-desk.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">\u202E';

describeInBrowser('approvals in the console', () => {
  let scene: ConsoleScene;
  let agent: string;
  let signing: string;
  let approver: ApiClient;
  let second: ApiClient;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    ledger.always('/orders/7', { body: { total: 180, customer: 'Ada Lovelace' } });
    approver = await aPerson(stack, 'bob@example.com', { role: 'admin' });
    second = await aPerson(stack, 'carol@example.com');
    await aGroup(stack, 'finance', ['bob@example.com', 'carol@example.com']);
    const definition = aRefundDesk(ledger.url);
    agent = await stack.client.createAgent(definition);
    const finance = { approvers: ['finance'], required: 2, timeout: '24h', on_timeout: 'fail' };
    const approvals = { finance: { ...finance, show: ['steps.order.output.customer'] } };
    signing = await stack.client.createAgent({ ...definition, name: 'two-signatures', approvals });
    ledger.always('/orders/9', { body: { total: 20, note: HOSTILE } });
    ledger.always('/orders/9/refunds', { drop: true });
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const aWaitingRun = async (of = agent, order = '7'): Promise<{ run: string; approval: string }> => {
    const { id: run } = await scene.stack.client.startRun(of, { order });
    await scene.runReaches(run, 'waiting_approval');
    const { data } = await approver.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${run}/approvals`);
    return { run, approval: data[0]?.id ?? '' };
  };

  const asApprover = (options: Parameters<ConsoleScene['signedIn']>[1] = {}) => scene.signedIn(approver.key, options);

  it('are decided from the inbox, on one page', async () => {
    const { run } = await aWaitingRun();
    const context = await asApprover();
    const { page, errors } = await scene.open(context, '/console/approvals');
    await page.getByText('started by admin@example.com').waitFor();
    await page.getByRole('link', { name: 'shop.refund' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop.refund' }).waitFor();
    await page.getByRole('region', { name: 'Run so far' }).getByText('shop.order order').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Comment' }).fill('Checked with Eve');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Checked with Eve').first().waitFor();
    const call = page.getByRole('listitem').filter({ hasText: 'shop.refund refund' });
    await call.getByText('succeeded').waitFor();
    await scene.runReaches(run, 'succeeded');
    expect(errors).toEqual([]);
  });

  it('say in the inbox and on their page that the run is a test run, and count it nowhere else', async () => {
    const { client } = scene.stack;
    const body = { mode: 'test', input: { order: '7' } };
    const { id } = await client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    await scene.runReaches(id, 'waiting_approval');
    const { data } = await client.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${id}/approvals`);
    const context = await asApprover();
    const { page } = await scene.open(context, '/console/');
    await page.getByText('Nothing needs attention').waitFor();
    const bell = page.getByRole('button', { name: 'What needs you', exact: true });
    await bell.click();
    const dialog = page.getByRole('dialog', { name: 'What needs you' });
    await dialog.getByText('No approval waits for you.').waitFor();
    await dialog.getByRole('link', { name: '1 approval of a test run' }).click();
    const entry = page.getByRole('list', { name: 'Approvals' }).getByRole('listitem');
    await entry.getByText('test run, writes are simulated').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('production');
    await page.getByText('No results').waitFor();
    await page.getByRole('link', { name: '1 approval of a test run' }).waitFor();
    await page.goBack();
    await entry.getByRole('link', { name: 'shop.refund' }).click();
    await page.getByText('test run, writes are simulated').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/approvals/${data[0]?.id}`);
    await page.getByRole('button', { name: 'Reject' }).click();
    await scene.runReaches(id, 'failed');
  });

  it('say in the inbox what the definition shows to approvers', async () => {
    const { run } = await aWaitingRun(signing);
    const context = await asApprover();
    const { page } = await scene.open(context, '/console/approvals');
    const entries = page.getByRole('list', { name: 'Approvals' }).getByRole('listitem');
    await entries.getByText('Customer Ada Lovelace').waitFor();
    await scene.stack.client.expect('POST', `/v1/runs/${run}/cancel`, {});
  });

  it('are edited member by member, and the edit shows its difference', async () => {
    const { run, approval } = await aWaitingRun();
    const context = await asApprover();
    const { page } = await scene.open(context, `/console/approvals/${approval}`);
    await page.getByRole('button', { name: 'Edit request' }).click();
    await page.getByRole('textbox', { name: 'amount' }).fill('120');
    await page.getByRole('region', { name: 'Your changes' }).getByText('120').waitFor();
    await page.getByRole('button', { name: 'Approve edited request' }).click();
    await scene.runReaches(run, 'succeeded');
    const { data } = await approver.expect<{ data: { request: object }[] }>('GET', `/v1/runs/${run}/approvals`);
    expect(data[0]?.request).toMatchObject({ amount: 120 });
    await page.goto(`/console/approvals/${approval}`);
    const changed = page.getByRole('region', { name: 'Changed by bob@example.com' });
    expect(await changed.locator('del').innerText()).toBe('180');
    expect(await changed.locator('ins').innerText()).toBe('120');
    await page.getByRole('region', { name: 'Decisions' }).getByText('approved with changes').waitFor();
  });

  it('lead to the next one after a decision, by the keyboard too', async () => {
    const { client } = scene.stack;
    const body = { mode: 'test', input: { order: '7' } };
    const { id: test } = await client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    await scene.runReaches(test, 'waiting_approval');
    const first = await aWaitingRun();
    const other = await aWaitingRun();
    const context = await asApprover();
    const { page, errors } = await scene.open(context, `/console/approvals/${first.approval}`);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor();
    await page.keyboard.press('a');
    expect(await focusedText(page)).toBe('Approve');
    expect(await scene.stack.client.run(first.run)).toMatchObject({ status: 'waiting_approval' });
    await page.keyboard.press('r');
    expect(await focusedText(page)).toBe('Reject');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('approved').waitFor();
    await eventually(async () => expect(await focusedText(page)).toBe('shop.refund: id 7, amount 180'));
    await page.getByRole('link', { name: '1 open' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press(']');
    await page.waitForURL(new RegExp(other.approval));
    await approve.click();
    await page.getByText('Nothing else waits for you.').waitFor();
    await scene.runReaches(other.run, 'succeeded');
    await client.expect('POST', `/v1/runs/${test}/cancel`, {});
    expect(errors).toEqual([]);
  });

  it('are decided with the keyboard alone, from the inbox on', async () => {
    const { run } = await aWaitingRun();
    const context = await asApprover();
    const { page } = await scene.open(context, '/console/runs');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('list', { name: 'Approvals' }).getByRole('link', { name: 'shop.refund' }).waitFor();
    await tabTo(page, 'a', 'shop.refund: id 7, amount 180');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'shop.refund' }).waitFor();
    await tabTo(page, 'textarea', '');
    await page.keyboard.type('By keyboard');
    await tabTo(page, 'button', 'Approve');
    await page.keyboard.press('Enter');
    await page.getByText('By keyboard').first().waitFor();
    await scene.runReaches(run, 'succeeded');
  });

  it('are decided on a phone with a thumb', async () => {
    const { run, approval } = await aWaitingRun();
    const context = await asApprover({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const { page } = await scene.open(context, '/console/approvals');
    await page.getByRole('list', { name: 'Approvals' }).getByRole('link', { name: 'shop.refund' }).first().tap();
    await page.goto(`/console/approvals/${approval}`);
    for (const name of ['Approve', 'Reject', 'Edit request', 'Stop all agents', 'Account']) {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox();
      expect([name, (box?.height ?? 0) >= 44]).toEqual([name, true]);
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve', exact: true }).tap();
    await scene.runReaches(run, 'succeeded');
  });

  it('show a request that was edited meanwhile as changed, and need another look before they count', async () => {
    const { run, approval } = await aWaitingRun(signing);
    const context = await asApprover();
    const { page } = await scene.open(context, `/console/approvals/${approval}`);
    await page.getByRole('textbox', { name: 'Comment' }).fill('Typed before');
    await second.expect('POST', `/v1/runs/${run}/approvals/${approval}`, {
      decision: 'edit',
      request: { id: '7', amount: 170 },
    });
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    const change = page.getByRole('region', { name: 'The request was changed after you opened it' });
    await change.getByText('170').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('Typed before');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await scene.runReaches(run, 'succeeded');
    const { data } = await approver.expect<{ data: { request: object }[] }>('GET', `/v1/runs/${run}/approvals`);
    expect(data[0]?.request).toMatchObject({ amount: 170 });
  });

  it('show a decision that was made elsewhere, with its person', async () => {
    const { run, approval } = await aWaitingRun();
    const context = await asApprover();
    const { page } = await scene.open(context, `/console/approvals/${approval}`);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor();
    await second.expect('POST', `/v1/runs/${run}/approvals/${approval}`, { decision: 'reject', comment: 'Paid twice' });
    await page.getByRole('status').getByText('carol@example.com').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await approve.count()).toBe(0);
  });

  it('show the refusal of an edit by a policy, at the request', async () => {
    const { approval } = await aWaitingRun();
    const context = await asApprover();
    const { page } = await scene.open(context, `/console/approvals/${approval}`);
    await page.getByRole('button', { name: 'Edit request' }).click();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await page.getByRole('list', { name: 'Policies' }).getByText('big-refund').waitFor();
    await page.getByRole('textbox', { name: 'amount' }).fill('5000');
    await page.getByRole('button', { name: 'Approve edited request' }).click();
    await page.getByRole('alert').getByText('no-fortune').waitFor();
    expect(await page.getByRole('textbox', { name: 'amount' }).inputValue()).toBe('5000');
  });

  it('answer a question about a call whose outcome is unknown', async () => {
    const { run, approval } = await aWaitingRun(agent, '9');
    const context = await asApprover();
    const { page, errors } = await scene.open(context, `/console/approvals/${approval}`);
    const answer = page.getByRole('button', { name: 'Answer' });
    await answer.waitFor();
    expect(await answer.getAttribute('aria-disabled')).toBe('true');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('radio', { name: 'It took effect' }).check();
    await answer.click();
    await scene.runReaches(run, 'succeeded');
    expect(await page.title()).not.toContain('hacked');
    expect(errors).toEqual([]);
  });

  it('have their filters in the address, and say whether nothing waits for the person or nothing at all', async () => {
    await aWaitingRun();
    const body = { mode: 'test', input: { order: '7' } };
    const { id: test } = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, body);
    await scene.runReaches(test, 'waiting_approval');
    const context = await scene.signedIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    const text = await page.getByText(/ for other people/).innerText();
    await page.getByRole('link', { name: 'Show all open approvals' }).click();
    await page.getByText('The oldest was opened').waitFor();
    const listed = await page.getByRole('list', { name: 'Approvals' }).getByRole('listitem').count();
    expect(Number.parseInt(text)).toBe(listed);
    expect(new URL(page.url()).search).toBe('?status=open');
    await page.getByRole('combobox', { name: 'Agent' }).fill('two-sig');
    await page.getByRole('option', { name: 'two-signatures' }).click();
    await page.getByText('No results').waitFor();
    await page.goBack();
    await page.getByRole('list', { name: 'Approvals' }).waitFor();
    await page.goto('/console/approvals?status=bogus');
    await page.getByRole('alert').getByText('status').waitFor();
  });

  it('that the person may not decide say why', async () => {
    const { approval } = await aWaitingRun();
    const context = await scene.signedIn(scene.stack.adminKey);
    const { page } = await scene.open(context, `/console/approvals/${approval}`);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.waitFor();
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('An admin adds members under Settings, Groups.').first().waitFor();
  });
});

/** Presses the Tab key until the element has the focus. */
async function tabTo(page: Page, tag: string, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<[string, string]>(
      '[document.activeElement.localName, document.activeElement.textContent.trim()]',
    );
    if (focused[0] === tag && focused[1] === text) return;
  }
  throw new Error(`Tab does not reach the ${tag} "${text}".`);
}
