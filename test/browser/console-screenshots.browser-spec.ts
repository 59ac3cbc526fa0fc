import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { SECTIONS } from '../../apps/console/src/settings/sections.js';
import { ConsoleScene, describeInBrowser, type WatchedPage } from './support/console-scene.js';
import { aDemoWorkspace, type DemoWorkspace } from './support/demo-workspace.js';

const FOLDER = join(import.meta.dirname, 'screenshots');

/**
 * Every page of the console: the name of its screenshot, its path below `/console` and its heading. In a path, `:name`
 * stands for the field `name` of the demo workspace.
 */
const SCREENS: readonly (readonly [name: string, path: string, heading: string | RegExp])[] = [
  ['overview', '/', 'Overview'],
  ['runs', '/runs', 'Runs'],
  ['run', '/runs/:waitingRun', 'refund-desk'],
  ['run-step', '/runs/:approvedRun?step=3', 'refund-desk'],
  ['errors', '/runs/errors', 'Errors'],
  ['bulk-action', '/runs/bulk/:bulkAction', 'Bulk cancellation'],
  ['approvals', '/approvals', 'Approvals'],
  ['approvals-history', '/approvals?status=rejected', 'Approvals'],
  ['approval', '/approvals/:approval', 'shop.refund: id 4711, amount 249'],
  ['question', '/approvals/:question', 'Did shop.refund take effect?'],
  ['agents', '/agents', 'Agents'],
  ['agent', '/agents/:refundDesk', 'refund-desk'],
  ['new-agent', '/agents/new', 'New agent'],
  ['knowledge', '/knowledge', 'Knowledge'],
  ['usage', '/usage', 'Usage'],
  ['settings', '/settings', /^(Settings|Members)$/],
  ...SECTIONS.map(({ path, name }) => [path.replace('/settings/', ''), path, name] as const),
  ['stop', '/stop', 'Emergency stop'],
  ['not-found', '/nowhere', 'Not found'],
];

/**
 * Names of the pages with an event stream. The test does not wait for their requests to end, because the request of a
 * stream does not end.
 */
const STREAMING: ReadonlySet<string> = new Set(['run', 'approval', 'question']);

const WIDTHS = {
  desktop: { colorScheme: 'light', viewport: { width: 1366, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;
/** Widths of windows between these two, in pixels. */
const FURTHER_WIDTHS = [1280, 1024, 910, 768];

/** Returns the names of the elements that a person must scroll sideways to read: the page, and the tables in it. */
const TOO_WIDE = `[document.documentElement, ...[...document.querySelectorAll('table')].filter((table) => table.checkVisibility()).map((table) => table.parentElement)]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ tagName, textContent }) => tagName + ' ' + textContent.slice(0, 40))`;

describeInBrowser('a picture of each screen', () => {
  let scene: ConsoleScene;
  let demo: DemoWorkspace;
  /** One page for each width shows all screens, because a new page costs more than its contents. */
  const pages = new Map<string, WatchedPage>();

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    demo = await aDemoWorkspace(scene.scene);
    await mkdir(FOLDER, { recursive: true });
    for (const [width, options] of Object.entries(WIDTHS))
      pages.set(width, await scene.open(await scene.signedIn(demo.approverKey, options), '/console/'));
  });
  afterAll(() => scene.stop());

  const take = async (page: Page, name: string, look: string): Promise<void> => {
    const path = join(FOLDER, `${name}-${look}.png`);
    await page.screenshot({ path, fullPage: look === 'phone', caret: 'hide', animations: 'disabled' });
  };

  describe.each(Object.keys(WIDTHS))('%s', (width) => {
    it.each(SCREENS)('%s is complete', async (name, path, heading) => {
      const address = path.replace(/:(\w+)/, (_match, member) => demo[member as keyof DemoWorkspace]);
      const shown = pages.get(width);
      if (shown === undefined) throw new Error(`No browser for ${width}.`);
      const { page, errors } = shown;
      errors.length = 0;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`/console${address}`);
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      await page.locator('main[aria-busy="false"]').waitFor();
      if (!STREAMING.has(name)) await page.waitForLoadState('networkidle');
      await take(page, name, width === 'phone' ? 'phone' : 'light');
      if (width !== 'phone') {
        await page.emulateMedia({ colorScheme: 'dark' });
        await take(page, name, 'dark');
      }
      expect(await page.evaluate(TOO_WIDE)).toEqual([]);
      if (width === 'desktop') {
        for (const further of FURTHER_WIDTHS) {
          await page.setViewportSize({ ...WIDTHS.desktop.viewport, width: further });
          expect([further, await page.evaluate(TOO_WIDE)]).toEqual([further, []]);
        }
        await page.setViewportSize(WIDTHS.desktop.viewport);
      }
      expect(errors).toEqual([]);
    });
  });
});
