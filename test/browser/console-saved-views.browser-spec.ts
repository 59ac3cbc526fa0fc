import type { Page } from 'playwright-core';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';
import { aPerson } from '../support/people.js';

describeInBrowser('saved views', () => {
  let scene: ConsoleScene;
  let admin: Page;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    admin = await open(scene.stack.adminKey, '/runs?status=failed&since=7d');
  });
  afterAll(() => scene.stop());

  const open = async (key: string, path: string): Promise<Page> =>
    (await scene.open(await scene.signedIn(key), `/console${path}`)).page;

  const choose = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: /^View/ }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };

  const fill = async (page: Page, name: string, action: string): Promise<void> => {
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
  };

  it('keep the filters of the runs under a name, and open them again', async () => {
    await choose(admin, 'Save view');
    await fill(admin, 'Failed this week', 'Save view');
    await admin.getByRole('button', { name: 'View: Failed this week' }).waitFor();
    await admin.getByRole('button', { name: 'Clear filters' }).click();
    await admin.getByRole('button', { name: 'Views' }).waitFor();
    await choose(admin, 'Failed this week');
    await admin.getByRole('button', { name: 'Remove filter status failed' }).waitFor();
    expect(new URL(admin.url()).searchParams.toString()).toBe('since=7d&status=failed');
  });

  it('are renamed, get other filters, and are shared with the members, who do not all change them', async () => {
    await admin.getByRole('combobox', { name: 'Mode' }).selectOption('test');
    await choose(admin, 'Change Failed this week');
    const dialog = admin.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Replace them by the filters of this page' }).check();
    await dialog.getByRole('checkbox', { name: 'All members of the workspace' }).check();
    await fill(admin, 'Failed tests', 'Change view');
    await admin.getByRole('button', { name: 'View: Failed tests' }).waitFor();

    const viewer = await open(await keyOf('viewer'), '/runs');
    await choose(viewer, 'Failed tests');
    await viewer.getByRole('button', { name: 'Remove filter mode test' }).waitFor();
    await choose(viewer, 'Delete Failed tests');
    await viewer.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
    await viewer.getByRole('alert').getByText('agents:run').waitFor();
  });

  it('of approvals are apart from those of runs, and can be deleted', async () => {
    const page = await open(scene.stack.adminKey, '/approvals?status=rejected');
    await choose(page, 'Save view');
    await fill(page, 'Rejected', 'Save view');
    await page.getByRole('button', { name: 'View: Rejected' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Rejected',
      'Save view',
      'Change Rejected',
      'Delete Rejected',
    ]);
    await page.getByRole('menuitem', { name: 'Delete Rejected' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
    await page.getByRole('button', { name: 'Views' }).waitFor();
  });

  async function keyOf(role: 'viewer'): Promise<string> {
    const email = `${role}@example.com`;
    await aPerson(scene.stack, email, { role });
    const body = { name: role, kind: 'live', role, member: email };
    return (await scene.stack.client.expect<{ key: string }>('POST', '/v1/api-keys', body)).key;
  }
});
