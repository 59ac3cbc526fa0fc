import type { BrowserContext, Page } from 'playwright-core';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

describeInBrowser('the editor of definitions', () => {
  let scene: ConsoleScene;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    scene = await ConsoleScene.start();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, options);
    contexts.push(context);
    return scene.open(context, `/console${path}`);
  };
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Definition' });

  it.each(['light', 'dark'] as const)('searches texts that are not rendered, in the %s theme', async (colorScheme) => {
    const { page, errors } = await open('/agents/new', { colorScheme });
    await editor(page).fill(`name: first\n${'# filler\n'.repeat(300)}description: needle\n`);
    await editor(page).press('Control+Home');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('needle');
    await page.keyboard.press('Enter');
    await page.locator('.cm-searchMatch-selected', { hasText: 'needle' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Alt+g');
    await page.getByRole('textbox', { name: 'Go to line' }).fill('1');
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+d');
    await editor(page).getByText('name: first').waitFor();
    expect(errors).toEqual([]);
  });
});
