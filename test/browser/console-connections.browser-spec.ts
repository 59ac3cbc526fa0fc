import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { OauthServer } from '../support/oauth-server.js';
import { aPerson } from '../support/people.js';
import { endAll } from '../support/scene.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const PICTURES = join(import.meta.dirname, 'screenshots');

interface Listed {
  id: string;
  name: string;
  status: string;
  agents: string[];
}

describeInBrowser('connections in the console', () => {
  let scene: ConsoleScene;
  let provider: OauthServer;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    ends.push(() => scene.stop());
    provider = await OauthServer.startFor(scene.stack);
    ends.push(() => provider.stop());
    await mkdir(PICTURES, { recursive: true });
  });
  afterEach(() => scene.closePages());
  afterAll(() => endAll(ends));

  const open = async (
    path: string,
    options: Parameters<ConsoleScene['newContext']>[0] = {},
    key = scene.stack.adminKey,
  ) => {
    const context = await scene.signedIn(key, options);
    return scene.open(context, `/console${path}`);
  };
  const button = (place: Page | Locator, name: string): Locator => place.getByRole('button', { name, exact: true });
  const textbox = (place: Page | Locator, name: string): Locator => place.getByRole('textbox', { name, exact: true });
  const listed = async (): Promise<Listed[]> =>
    (await scene.stack.client.expect<{ data: Listed[] }>('GET', '/v1/connections')).data;
  const PATH = '/settings/connections';

  it('are created, authorised in the same tab, granted and deleted', async () => {
    const agent = await scene.stack.client.createAgent({ name: 'desk', steps: [{ id: 'a', output: 1 }] });
    const { page, errors } = await open(PATH);
    await page.getByText('No connection yet').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await button(page, 'Create connection').click();
    const dialog = page.getByRole('dialog');
    await textbox(dialog, 'Name').fill('team wiki');
    await dialog.getByRole('radio', { name: 'Our wiki' }).check();
    await dialog.getByText('offline_access').waitFor();
    const agents = dialog.getByRole('combobox', { name: 'Agents' });
    await agents.fill('later');
    await agents.press('Enter');
    await dialog.getByText('There is no agent "later".').waitFor();
    expect(await agents.getAttribute('aria-invalid')).toBe('true');
    await agents.fill('desk');
    await agents.press('Tab');
    await dialog.getByRole('grid', { name: 'Chosen: Agents' }).getByText('desk').waitFor();
    await button(dialog, 'Create connection').click();

    await page.getByRole('heading', { name: 'Give access to your account?' }).waitFor();
    await button(page, 'Cancel').click();
    await page.getByRole('alert').getByText('The permission was not granted').waitFor();
    await button(page, 'Authorise').click();
    await button(page, 'Continue').click();
    await page.waitForURL(/\/console\/settings\/connections\?connected=con_/);
    await page.getByRole('status', { name: 'team wiki is connected' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'team wiki' });
    await row.getByText('active').waitFor();
    await row.getByText('ada at Our wiki').waitFor();
    await row.getByRole('link', { name: 'desk', exact: true }).waitFor();
    expect(await listed()).toMatchObject([{ name: 'team wiki', status: 'active', agents: [agent] }]);

    const choose = async (name: string): Promise<void> => {
      await button(row, 'Actions of team wiki').click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Change agents');
    await dialog.getByRole('row', { name: 'desk' }).getByRole('button').click();
    // The field of the removed agent has the focus, so its list is open and hides the button.
    await dialog
      .locator('button')
      .filter({ hasText: /^Change agents$/ })
      .click();
    await dialog.waitFor({ state: 'hidden' });
    await row.getByRole('cell', { name: 'no agents', exact: true }).waitFor();
    await choose('Authorise again');
    await button(dialog, 'Authorise again').click();
    await button(page, 'Continue').click();
    await page.waitForURL(/connected=con_/);
    await page.getByRole('status', { name: 'team wiki is connected' }).waitFor();

    await choose('Delete');
    await button(dialog, 'Delete').click();
    await page.getByText('No connection yet').waitFor();
    expect(provider.revocations).toEqual(['refresh_token', 'access_token']);
    expect(errors).toEqual([]);
  });

  it('name the settings that a provider needs of the operator, and connect the others', async () => {
    const context = await scene.signIn(scene.stack.adminKey);
    const { data } = await scene.stack.client.expect<{ data: { name: string }[] }>('GET', '/v1/connection-providers');
    const json = { data: data.map((each) => (each.name === 'github' ? { ...each, available: false } : each)) };
    await context.route('**/v1/connection-providers*', (route) => route.fulfill({ json }));
    const { page } = await scene.open(context, `/console${PATH}`);
    const tiles = page.getByRole('list', { name: 'Providers' });
    const github = tiles.getByRole('listitem').filter({ hasText: 'Repositories, issues and pull requests' });
    await github.getByText('Ask the operator to set OAUTH_PROVIDERS and GITHUB_CLIENT_SECRET.').waitFor();
    await github.getByText('Settings for GitHub').click();
    await github.getByText(`with the redirect address ${scene.stack.baseUrl}/v1/oauth/callback`).waitFor();
    await button(github, 'Copy variables').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await button(tiles, 'Connect Our wiki').click();
    const dialog = page.getByRole('dialog', { name: 'Create connection' });
    expect(await dialog.getByRole('radio', { name: 'Our wiki' }).isChecked()).toBe(true);
  });

  it('say why they are not authorised', async () => {
    const { page } = await open(`${PATH}?error=invalid_request`);
    await page.getByRole('alert').getByText('The permission was not granted').waitFor();
  });

  it('ask for the access on a page that needs no script', async () => {
    const connection = { name: 'asked', provider: 'wiki' };
    const { authorize_url: address } = await scene.stack.client.expect<{ authorize_url: string }>(
      'POST',
      '/v1/connections',
      connection,
    );
    for (const [size, width] of Object.entries({ desktop: 1280, phone: 390, small: 320 })) {
      const viewport = { width, height: 800 };
      const context = await scene.newContext({ viewport });
      const page = await context.newPage();
      await page.goto(address);
      await button(page, 'Continue').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await takePictures(page, `authorisation-${size}`);
    }
    const context = await scene.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address);
    await button(page, 'Continue').click();
    await page.getByText('is connected as the connection').waitFor();
    await takePictures(page, 'authorised');
  });

  it('are accessible in every state', async () => {
    const agents = ['name:reader'];
    const name = 'crm expired';
    const { id } = await scene.stack.client.expect<Listed>('POST', '/v1/connections', {
      name,
      provider: 'wiki',
      agents,
    });
    const failed = JSON.stringify({
      code: 'authorization_revoked',
      message: 'Our wiki responded with invalid_grant.',
    });
    await scene.stack.query(
      `update connections set status = 'expired', authorized_at = clock_timestamp(), authorized_by = 'ada@example.com',
          account = 'ada', last_used_at = clock_timestamp(), error = $2 where id = $1`,
      [id, failed],
    );
    await scene.stack.client.expect('POST', '/v1/connections', { name: `${name} new`, provider: 'github' });
    const { page, errors } = await open(PATH);
    const row = page.getByRole('row').filter({ hasText: name }).filter({ hasText: 'expired' });
    await row.getByText('Our wiki no longer accepts the permission.').waitFor();
    await row.getByText('Reason', { exact: true }).click();
    await row.getByText('invalid_grant').waitFor();
    await button(row, 'Authorise again').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePictures(page, 'connections');
    await button(page, 'Create connection').press('Enter');
    await page.getByRole('dialog').getByRole('group', { name: 'Provider' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePictures(page, 'connections-dialog');
    await page.keyboard.press('Escape');
    await eventually(async () => {
      expect(await page.locator('button:focus').allInnerTexts()).toEqual(['Create connection']);
    });
    expect(errors).toEqual([]);
  });

  it('can be seen by a viewer, who may not change them', async () => {
    const { key } = await aPerson(scene.stack, 'viewer@example.com', { role: 'viewer' });
    const { page } = await open(PATH, {}, key);
    await page.getByRole('row').nth(1).waitFor();
    const buttons = await page.locator('main button').all();
    const disabled = await Promise.all(buttons.map((each) => each.getAttribute('aria-disabled')));
    expect(new Set(disabled)).toEqual(new Set(['true']));
  });
});

/** Takes a picture of the whole page in each theme. */
async function takePictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: null });
}
