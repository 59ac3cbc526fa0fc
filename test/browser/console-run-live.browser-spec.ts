import type { Page } from 'playwright-core';
import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import { aGroup, aPerson } from '../support/people.js';
import { aToolAgent } from '../support/tool-agents.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';
import { aRefundDesk } from './support/refund-desk.js';

describeInBrowser('the page of a live run', () => {
  let scene: ConsoleScene;
  let agent: string;
  let decider: ApiClient;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    agent = await stack.client.createAgent(aToolAgent('live', ledger.url, [['read', '/first']]));
    decider = await aPerson(stack, 'bob@example.com', { role: 'admin' });
    await aGroup(stack, 'finance', ['bob@example.com']);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const step = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true });
  const status = (page: Page, value: string) => page.locator(`main header [data-status="${value}"]`);

  it('asks to sign in over the page when the session is revoked under its stream, and keeps what was typed', async () => {
    const { stack, ledger } = scene.scene;
    ledger.always('/orders/7', { body: { total: 180 } });
    const desk = await stack.client.createAgent(aRefundDesk(ledger.url));
    const { id } = await stack.client.startRun(desk, { order: '7' });
    await scene.runReaches(id, 'waiting_approval');
    const context = await scene.signIn(decider.key);
    const { page } = await scene.open(context, `/console/runs/${id}`);
    await page.getByRole('textbox', { name: 'Comment' }).fill('Checked with Eve');
    const { data } = (await (await context.request.get('/v1/sessions', { headers: SAME_ORIGIN })).json()) as {
      data: { id: string; current: boolean }[];
    };
    const current = data.find((session) => session.current)?.id;
    const headers = { ...SAME_ORIGIN, 'x-aas-console': '1' };
    expect((await context.request.delete(`/v1/sessions/${current}`, { headers })).status()).toBe(204);

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('button', { name: 'Use an API key instead' }).click();
    await dialog.getByRole('textbox', { name: 'API key' }).fill(decider.key);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('Checked with Eve');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await status(page, 'succeeded').waitFor();
    await step(page, 'shop.refund refund').waitFor();
  });

  it('has a header that follows the same stream as its steps', async () => {
    const { stack, ledger } = scene.scene;
    const pausing = aToolAgent('pausing', ledger.url, [['read', '/late']]);
    const steps = [{ id: 'pause', wait: { for: '3s' } }, ...(pausing.steps as JsonObject[])];
    ledger.script('/late', { hang: true });
    const id = await stack.client.createAgent({ ...pausing, steps });
    const context = await scene.signIn(scene.stack.adminKey);
    // Without the change feed, only the stream can tell that the run goes on.
    await context.route('**/v1/changes*', (route) => route.fulfill({ status: 204 }));
    const { id: run } = await stack.client.startRun(id);
    const { page } = await scene.open(context, `/console/runs/${run}`);
    const waiting = page.locator('main header').getByText(/^waits until/);
    await waiting.waitFor();
    await step(page, 'tool.read call1').first().waitFor();
    await waiting.waitFor({ state: 'hidden' });
    ledger.release('/late');
    await status(page, 'succeeded').waitFor();
  });

  it('is shown in the editor as it happens, with the decision that a test run waits for', async () => {
    const { ledger } = scene.scene;
    ledger.always('/orders/8', { body: { total: 180 } });
    const { page, errors } = await scene.open(await scene.signedIn(scene.stack.adminKey), '/console/agents/new');
    const text = JSON.stringify({ ...aRefundDesk(ledger.url), name: 'draft-desk' }, null, 2);
    await page.getByRole('textbox', { name: 'Definition' }).fill(text);
    await page.getByRole('textbox', { name: 'Order number' }).fill('8');
    await page.getByRole('button', { name: 'Start test run' }).click();
    const outcome = page.getByRole('region', { name: 'Latest test run' });
    const question = outcome.getByRole('group', { name: 'The run waits for a decision' });
    await question.getByText(/Another person has to decide|not in a group that may decide/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const address = await question.getByRole('link', { name: 'shop.refund' }).getAttribute('href');
    const approval = address?.split('/').at(-1) ?? '';
    const { run } = await decider.expect<{ run: string }>('GET', `/v1/approvals/${approval}`);
    await decider.expect('POST', `/v1/runs/${run}/approvals/${approval}`, { decision: 'approve' });
    await outcome.getByRole('link', { name: 'shop.refund refund' }).waitFor();
    await outcome.getByRole('status').getByText('succeeded').waitFor();
    await question.waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
  });

  it('is cancelled with a reason', async () => {
    const { stack, ledger } = scene.scene;
    ledger.script('/first', { hang: true });
    const { id } = await stack.client.startRun(agent);
    const { page } = await scene.open(await scene.signedIn(scene.stack.adminKey), `/console/runs/${id}`);
    await step(page, 'tool.read call1').first().waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Wrong customer');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    ledger.release('/first');
    await status(page, 'cancelled').waitFor();
    await page.getByText('Wrong customer').first().waitFor();
  });
});

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
