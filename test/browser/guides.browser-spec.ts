import type { Page } from 'playwright-core';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const GUIDES = '/docs/guides/';

describeInBrowser('the guides', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.newContext(options);
    return scene.open(context, path);
  };
  const search = (page: Page) => page.getByRole('searchbox', { name: 'Search the guides' });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

  it('lead from the index to a page, through the navigation and to the next page', async () => {
    const { page, errors } = await open(GUIDES);
    await page.getByRole('main').getByRole('link', { name: 'Steps', exact: true }).click();
    await heading(page, 'Steps').waitFor();
    await page
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Tools', exact: true })
      .click();
    await heading(page, 'Tools').waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
    expect(await pages.locator('[aria-current="page"]').allTextContents()).toEqual(['Tools']);
    await page.getByRole('link', { name: 'Next' }).click();
    await heading(page, 'Policies and approvals').waitFor();
    expect(errors).toEqual([]);
  });

  it('have a search that is used with the keyboard and leads to a section', async () => {
    const { page, errors } = await open(`${GUIDES}tools`);
    await search(page).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('repeat');
    const first = page.locator('.results li a').first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(/^repeatSteps/);
    expect(await first.locator('mark').first().textContent()).toBe('repeat');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${GUIDES}steps#repeat`);
    expect(await page.locator(':target').textContent()).toContain('repeat');
    expect(errors).toEqual([]);
  });

  it('show results as text, and close them with Escape', async () => {
    const { page, errors } = await open(`${GUIDES}steps`);
    await search(page).fill('<img src=x>zzz');
    await page.getByRole('status').getByText('result').waitFor();
    expect(await page.locator('.results img').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.locator('.results').waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
  });

  it.each(['', 'steps', 'console'])('are accessible at /%s', async (path) => {
    const { page, errors } = await open(GUIDES + path);
    await search(page).fill('approval');
    await page.locator('.results li').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('are accessible on a phone, and lay themselves out without scrolling sideways', async () => {
    const { page } = await open(`${GUIDES}errors`, { viewport: { width: 320, height: 700 }, hasTouch: true });
    await page.getByText('All pages').click();
    await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Steps' }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('are read without JavaScript, where only the search is missing', async () => {
    const { page } = await open(`${GUIDES}steps`, {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    expect(await heading(page, 'Steps').isVisible()).toBe(true);
    expect(await page.locator('#search').isVisible()).toBe(false);
    await page.getByText('All pages').click();
    await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Tools', exact: true }).click();
    await heading(page, 'Tools').waitFor();
  });

  it('are linked from the console', async () => {
    const context = await scene.signedIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Guides' }).click();
    await heading(page, 'Guides').waitFor();
  });
});
