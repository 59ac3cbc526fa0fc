import type { BrowserContext, Page } from 'playwright-core';
import { aGroup, aPerson } from '../support/people.js';
import { aToolAgent } from '../support/tool-agents.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';
import { aRefundDesk } from './support/refund-desk.js';

describeInBrowser('the page of a live run', () => {
  let scene: ConsoleScene;
  let agent: string;
  let deciderKey: string;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    agent = await stack.client.createAgent(aToolAgent('live', ledger.url, [['read', '/first']]));
    const bob = await aPerson(stack, 'bob@example.com', { role: 'admin' });
    deciderKey = bob.key;
    await aGroup(stack, 'finance', ['bob@example.com']);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(() => scene.stop());

  const signedIn = async (key = scene.stack.adminKey): Promise<BrowserContext> => {
    const context = await scene.signedIn(key);
    contexts.push(context);
    return context;
  };

  const step = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true });
  const status = (page: Page, value: string) => page.locator(`main header [data-status="${value}"]`);

  it('asks to sign in over the page when the session is revoked under its stream, and keeps what was typed', async () => {
    const { stack, ledger } = scene.scene;
    ledger.always('/orders/7', { body: { total: 180 } });
    const desk = await stack.client.createAgent(aRefundDesk(ledger.url));
    const { id } = await stack.client.startRun(desk, { order: '7' });
    await scene.runReaches(id, 'waiting_approval');
    const context = await signedIn(deciderKey);
    const { page } = await scene.open(context, `/console/runs/${id}`);
    await page.getByRole('textbox', { name: 'Comment' }).fill('Checked with Eve');
    const { data } = (await (await context.request.get('/v1/sessions', { headers: SAME_ORIGIN })).json()) as {
      data: { id: string; current: boolean }[];
    };
    const current = data.find((session) => session.current)?.id;
    const headers = { ...SAME_ORIGIN, 'x-aas-console': '1' };
    expect((await context.request.delete(`/v1/sessions/${current}`, { headers })).status()).toBe(204);

    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'API key' }).fill(deciderKey);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('Checked with Eve');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await status(page, 'succeeded').waitFor();
    await step(page, 'shop.refund refund').waitFor();
  });

  it('is cancelled with a reason', async () => {
    const { stack, ledger } = scene.scene;
    ledger.script('/first', { hang: true });
    const { id } = await stack.client.startRun(agent);
    const { page } = await scene.open(await signedIn(), `/console/runs/${id}`);
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
