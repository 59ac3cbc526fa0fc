import type { BrowserContext, Page, Request } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { aToolAgent } from '../support/tool-agents.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';
import { addEndedRuns } from './support/ended-runs.js';

/** More than the connections that a browser opens to one host with HTTP/1.1, which are six. */
const TABS = 8;

describeInBrowser('live pages', () => {
  let scene: ConsoleScene;
  let agent: string;
  let context: BrowserContext;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    const calls = ['/first', '/second', '/third', '/fourth'].map((path) => ['read', path] as ['read', string]);
    // While a test restarts the API, a call waits for its response and must not be tried again.
    agent = await stack.client.createAgent(aToolAgent('live', ledger.url, calls, '10m'));
  });
  beforeEach(async () => {
    context = await scene.signIn(scene.stack.adminKey);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const status = (page: Page, value: string) => page.locator(`main header [data-status="${value}"]`);
  const steps = (page: Page) => page.getByRole('tree', { name: 'Trace' }).getByRole('treeitem');

  it('show each step once after the API was killed under them and started again', async () => {
    const { stack, ledger } = scene.scene;
    ledger.script('/second', { hang: true });
    ledger.script('/fourth', { hang: true });
    const { id } = await stack.client.startRun(agent);
    const { page } = await scene.open(context, `/console/runs/${id}`);
    await steps(page).filter({ hasText: 'call2' }).waitFor();

    await stack.api.kill();
    ledger.release('/second');
    await eventually(() => expect(ledger.callsOf('/fourth')).toHaveLength(1));
    await stack.startApi();
    await steps(page).filter({ hasText: 'call4' }).waitFor();
    ledger.release('/fourth');
    await status(page, 'succeeded').waitFor();
    const names = (await steps(page).allInnerTexts()).map((text) => /call\d/.exec(text)?.[0]).filter(Boolean);
    expect(names).toEqual(['call1', 'call2', 'call3', 'call4']);
  });

  it('use at most two event streams in eight tabs, and all of them see the end of their run', async () => {
    const { stack, ledger } = scene.scene;
    const streams = new OpenStreams(context);
    const tabs: Page[] = [];
    for (let n = 0; n < TABS; n++) {
      ledger.script('/first', { hang: true });
      const { id } = await stack.client.startRun(agent);
      const { page } = await scene.open(context, `/console/runs/${id}`);
      await steps(page).filter({ hasText: 'trigger' }).waitFor();
      tabs.push(page);
    }
    await eventually(() => expect(streams.open.size).toBe(2));
    // This check must come before a run ends. When a stream ends, the browser may report the start of the next tab's
    // stream before this end. The count would then be too high.
    expect(streams.most).toBe(2);
    ledger.always('/first', {});
    ledger.release('/first');
    for (const page of tabs) await status(page, 'succeeded').waitFor();
    await eventually(() => expect(streams.open.size).toBe(0));
  });

  it.each(['/console/runs', '/console'])('show a run that ended between the first answers to %s', async (path) => {
    const { client } = scene.stack;
    const waiting = await client.createAgent({
      name: `slow${path.replaceAll('/', '-')}`,
      steps: [{ id: 'wait', wait: { for: '1h' } }],
    });
    const { id } = await client.startRun(waiting);
    await scene.runReaches(id, 'queued');
    let release = (): void => undefined;
    const ended = new Promise<void>((resolve) => (release = resolve));
    await context.route(/\/v1\/changes/, async (route) => {
      await ended;
      await route.continue();
    });
    const { page } = await scene.open(context, path);
    const row = page
      .getByRole('table', { name: 'Runs' })
      .getByRole('row')
      .filter({ has: page.locator(`a[href$="${id}"]`) });
    await row.getByText('queued').waitFor();
    await client.expect('POST', `/v1/runs/${id}/cancel`);
    await scene.runReaches(id, 'cancelled');
    release();
    await row.getByText('cancelled').waitFor({ timeout: 30_000 });
  });

  it('say that the API is away, keep what they show, and recover', async () => {
    const { stack } = scene.scene;
    await addEndedRuns(stack, agent, 2);
    const { page, errors } = await scene.open(context, '/console/runs');
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'live' });
    await rows.first().waitFor();
    await stack.api.kill();
    await page.getByLabel('Status').first().selectOption('failed');
    await page
      .getByRole('status')
      .getByText(/^No connection since \d/)
      .waitFor();
    await page.getByRole('status').getByText('The rows are from before the filters changed.').waitFor();
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await stack.startApi();
    await page.getByText('No results').waitFor();
    await page
      .getByRole('status')
      .getByText(/^No connection since/)
      .waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
  });

  it('open without a connection after some use, and recover without it before that', async () => {
    const page = await context.newPage();
    await page.clock.install();
    await page.goto('/console/runs');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page
      .getByRole('status')
      .getByText(/^No connection since/)
      .waitFor();
    await page.getByText('opens as soon as the service can be reached').waitFor();
    const heading = await page.getByRole('heading', { level: 1, name: 'Loading' }).boundingBox();
    expect(heading?.y).toBeLessThan(200);
    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page
      .getByRole('status')
      .getByText(/^No connection since/)
      .waitFor({ state: 'hidden' });

    const last = page.waitForResponse(/sign-in-page|cli-page/);
    await page.getByRole('heading', { level: 1, name: 'Usage' }).click();
    await page.clock.runFor(10_000);
    await last;
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    await context.setOffline(false);
  });

  it.each(['/console', '/console/runs', '/console/approvals'])(
    'send at most one request in five seconds while idle, and none after half a minute in the background (%s)',
    async (path) => {
      await addEndedRuns(scene.stack, agent, 3);
      const page = await context.newPage();
      await page.clock.install();
      const sent = new SentRequests(page);
      await page.goto(path);
      await page.getByRole('main').getByRole('link').first().waitFor();
      await sent.answered();
      let total = 0;
      for (let interval = 0; interval < 12; interval++) {
        sent.paths.length = 0;
        await page.clock.runFor(5_000);
        await sent.answered();
        expect(sent.paths.length).toBeLessThanOrEqual(1);
        total += sent.paths.length;
      }
      // If a response arrives at the end of an interval, the next interval may contain no request. The test therefore
      // expects fewer requests than intervals.
      expect(total).toBeGreaterThanOrEqual(5);

      await setHidden(page, true);
      await page.clock.runFor(30_000);
      await sent.answered();
      sent.paths.length = 0;
      await page.clock.runFor(600_000);
      expect(sent.paths).toEqual([]);

      const shown = page.waitForRequest('**/v1/changes*');
      await setHidden(page, false);
      await shown;
    },
  );
});

/** `open` contains the open event streams of all tabs. `most` is the highest number that were open at once. */
class OpenStreams {
  readonly open = new Set<Request>();
  most = 0;

  constructor(context: BrowserContext) {
    context.on('request', (request) => {
      if (request.headers().accept !== 'text/event-stream') return;
      this.open.add(request);
      this.most = Math.max(this.most, this.open.size);
    });
    const close = (request: Request): void => void this.open.delete(request);
    context.on('requestfinished', close);
    context.on('requestfailed', close);
  }
}

class SentRequests {
  readonly paths: string[] = [];
  private readonly pending = new Set<Request>();

  constructor(private readonly page: Page) {
    page.on('request', (request) => {
      this.paths.push(`${request.method()} ${new URL(request.url()).pathname}`);
      this.pending.add(request);
    });
    const end = (request: Request): void => void this.pending.delete(request);
    page.on('requestfinished', end);
    page.on('requestfailed', end);
  }

  /** Resolves when the page has received a response to every request and has set its next timer. */
  async answered(): Promise<void> {
    await eventually(() => expect(this.pending.size).toBe(0));
    await this.page.evaluate('new Promise((resolve) => queueMicrotask(resolve))');
  }
}

/**
 * Makes the page appear hidden or visible. A headless browser never hides a page, so this function replaces the
 * properties of the document.
 */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${isHidden ? 'hidden' : 'visible'}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}
