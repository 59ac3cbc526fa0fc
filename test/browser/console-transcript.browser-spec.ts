import type { Page } from 'playwright-core';
import { aModelAgent } from '../support/model-agents.js';
import { ModelServer } from '../support/model-server.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">';

describeInBrowser('what a model did, on the page of a run', () => {
  let scene: ConsoleScene;
  let models: ModelServer;
  let run: string;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    models = await ModelServer.start();
    await scene.stack.lead('models', models.url);
    const { stack, ledger } = scene.scene;
    ledger.always('/look/a', { body: { total: 40, lines: [{ name: HOSTILE }] } });
    models.respondWith(
      { text: 'I look first.', calls: [{ name: 'shop_look', input: { place: 'a' } }] },
      { text: `It is done. ${HOSTILE}` },
    );
    const agent = await stack.client.createAgent(aModelAgent(ledger.url));
    ({ id: run } = await stack.client.startRun(agent, { wish: 'look' }));
    await scene.runReaches(run, 'succeeded');
  });
  afterEach(() => scene.closePages());
  afterAll(async () => {
    await models.close();
    await scene.stop();
  });

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, options);
    return scene.open(context, `/console/runs/${run}${path}`);
  };
  const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' });
  const tab = (page: Page, name: string) => inspector(page).getByRole('tab', { name, exact: true });

  it('is in the tabs of a model call, which have addresses and follow the arrow keys', async () => {
    const { page, errors } = await open('?step=2');
    const panel = inspector(page).getByRole('tabpanel');
    await panel.getByRole('region', { name: 'Answer' }).getByText('I look first.').waitFor();
    await panel.getByText('New input tokens').waitFor();
    await tab(page, 'Summary').press('ArrowRight');
    await panel.getByRole('region', { name: 'System prompt' }).getByText('Do what the input says.').waitFor();
    await panel.getByRole('region', { name: 'The input, as JSON:' }).getByText('"look"').waitFor();
    await panel.getByRole('region', { name: 'Calls shop_look' }).getByText('"a"').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await tab(page, 'Tools').click();
    await panel.getByText('Look something up').waitFor();
    await page.waitForURL('**step=2&tab=tools');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.reload();
    await panel.getByText('Look something up').waitFor();
    await tab(page, 'Policies').click();
    await panel.getByRole('link', { name: /^shop\.look/ }).waitFor();
    await tab(page, 'Raw').click();
    await panel.getByRole('region', { name: 'Step and turn' }).getByText('"prompt_n": 2').waitFor();
    expect(errors).toEqual([]);
  });

  it('shows a later turn with the prompt of the first, and its request and response', async () => {
    const { page, errors } = await open('?step=5&tab=messages');
    const panel = inspector(page).getByRole('tabpanel');
    await panel.getByRole('region', { name: 'Result of shop_look' }).waitFor();
    const prompt = panel.getByRole('region', { name: 'System prompt' });
    expect(await prompt.count()).toBe(0);
    await panel.getByText('System prompt').click();
    await prompt.getByText('Do what the input says.').waitFor();
    expect(await panel.getByText('I look first.').count()).toBe(0);
    await panel.getByText('2 earlier messages').click();
    await panel.getByText('I look first.').waitFor();
    await panel.getByRole('region', { name: 'The input, as JSON:' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await tab(page, 'Request').click();
    await panel.getByRole('region', { name: 'Request' }).getByText('shop_pay').waitFor();
    await panel
      .getByRole('region', { name: 'Response' })
      .getByText(/It is done/)
      .waitFor();
    expect(await page.title()).not.toBe('hacked');
    expect(errors).toEqual([]);
  });

  it.each([1366, 1280, 910, 390, 320])('shows each tab and each step at a width of %s', async (width) => {
    const { page } = await open('?step=5', { viewport: { width, height: 844 } });
    await tab(page, 'Raw').waitFor();
    const cut = `[...document.querySelectorAll('aside [role=tablist], [role=tree] a span')]
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
      .map(({ textContent }) => textContent)`;
    expect(await page.evaluate(cut)).toEqual([]);
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('has the request of a call, its response as a tree, and a command that repeats it', async () => {
    const { page, errors } = await open('?step=4', { permissions: ['clipboard-read', 'clipboard-write'] });
    await inspector(page).getByText(`GET ${scene.scene.ledger.url}/look/a`).waitFor();
    await inspector(page).getByRole('region', { name: 'Response', exact: true }).getByText('40').waitFor();
    await inspector(page).getByRole('button', { name: 'Copy as curl' }).click();
    await inspector(page).getByText('Copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^curl -X 'GET' 'http:.+\/look\/a'/);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['on a desktop', {}],
    ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
  ])('is a transcript to read from top to bottom, %s', async (_, options) => {
    const { page, errors } = await open('', options);
    await page.getByRole('link', { name: 'Transcript' }).click();
    const transcript = page.getByRole('region', { name: 'Transcript' });
    await transcript.getByText('I look first.').waitFor();
    await transcript.getByText(/It is done/).waitFor();
    const order = await transcript
      .getByRole('article')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    expect(order).toEqual(['Message', 'Answer of turn 1', 'Result of shop_look', 'Answer of turn 2']);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await transcript.getByRole('link', { name: 'Step 5' }).click();
    await inspector(page).getByRole('tab', { name: 'Summary' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.getByRole('tree', { name: 'Trace' }).waitFor();
    expect(errors).toEqual([]);
  });
});
