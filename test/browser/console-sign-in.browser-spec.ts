import type { BrowserContext, Locator } from 'playwright-core';
import { aPerson } from '../support/people.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

/** The forms of the page stay unseen until the returned function is called. */
async function answerMethodsLater(context: BrowserContext, methods: readonly string[]): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await context.route('**/auth/methods', async (route) => {
    await released;
    await route.fulfill({ json: { methods } });
  });
  return release;
}

/** Invites bob again, and returns the link. */
async function invitation({ stack: { client } }: ConsoleScene): Promise<string> {
  const members = await client.expect<{ data: { id: string; email: string }[] }>('GET', '/v1/members?limit=100');
  const bob = members.data.find(({ email }) => email === 'bob@example.com');
  return (await client.expect<{ url: string }>('POST', `/v1/members/${bob?.id}/invitations`, {})).url;
}

describeInBrowser('signing in to the console', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    await aPerson(scene.stack, 'bob@example.com');
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  it('leads from any page to the sign-in and back, with an API key that stays masked', async () => {
    const context = await scene.newContext();
    const { page, errors } = await scene.open(context, '/console/runs?status=failed');
    await page.waitForURL(/\/console\/sign-in\?return_to=/);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    const field = page.getByRole('textbox', { name: 'API key' });
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await field.getAttribute('type')).toBe('text');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await field.fill(scene.stack.adminKey);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/console/runs?status=failed');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('begins with the link, folds what only an operator needs, and does not shift when the forms arrive', async () => {
    const context = await scene.newContext();
    const release = await answerMethodsLater(context, ['link', 'key']);
    const { page } = await scene.open(context, '/console/sign-in');
    const card = page.getByRole('main');
    await card.getByText('Agent Automation').waitFor();
    const fields = page.getByRole('textbox');
    expect(await fields.count()).toBe(0);
    const before = await card.boundingBox();
    release();
    await card.getByText('ask an admin of your workspace').waitFor();
    expect(await card.boundingBox()).toEqual(before);
    const labels = `[...document.querySelectorAll('main label')]
      .filter((each) => each.offsetWidth > 1).map((each) => each.textContent)`;
    expect(await page.evaluate<string[]>(labels)).toEqual(['Sign-in link']);
    expect(await card.getByText('npm start').count()).toBe(0);
    const command = page.getByText('DATA_DIR=.data npm run keys -- sign-in-link');
    expect(await command.count()).toBe(0);
    await page.getByText('You run this installation?').click();
    await command.waitFor();
    await card.getByText('admin.key in DATA_DIR').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('offers one thing at a time: what a person has been sent, or an API key instead', async () => {
    const context = await scene.newContext();
    const release = await answerMethodsLater(context, ['link', 'email', 'oidc', 'key']);
    release();
    const { port } = new URL(scene.stack.baseUrl);
    const { page } = await scene.open(context, `http://console.localhost:${port}/console/sign-in`);
    await page.getByRole('link', { name: 'Single sign-on' }).waitFor();
    await page.getByRole('button', { name: 'Send link' }).waitFor();
    await page.getByText('ask an admin of your workspace').waitFor();
    const key = page.getByRole('textbox', { name: 'API key' });
    expect(await key.count()).toBe(0);
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    await key.waitFor();
    expect(await page.getByRole('button', { name: 'Send link' }).count()).toBe(0);
    await page.getByText('You run this installation?').click();
    expect(await page.getByText('admin.key').count()).toBe(0);
    await page.getByRole('button', { name: 'Use a link instead' }).click();
    await page.getByRole('button', { name: 'Send link' }).waitFor();
  });

  it('signs in with the link of an invitation, pasted into the field or into the address', async () => {
    const pasted = await scene.newContext();
    const { page } = await scene.open(pasted, '/console/sign-in?return_to=/console/agents');
    await page.getByRole('textbox', { name: 'Sign-in link' }).fill(await invitation(scene));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    const opened = await scene.newContext();
    const { page: same } = await scene.open(opened, '/console/sign-in');
    await same.getByRole('textbox', { name: 'Sign-in link' }).waitFor();
    await same.goto(`/console/sign-in${new URL(await invitation(scene)).hash}`);
    await same.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(same.url()).not.toContain('#');
  });

  it('is opened by a group for people who are no members yet, and creates the groups of an invited person', async () => {
    // Not by role: a list that is open hides the other elements from assistive technology.
    const press = (dialog: Locator, name: string) => dialog.locator('button').filter({ hasText: name }).click();
    const context = await scene.signedIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/settings/groups?name=lawyers&from=/agents#create-group');
    const dialog = page.getByRole('dialog', { name: 'Create group' });
    await dialog.getByRole('combobox', { name: 'Members' }).fill('Nora@example.com, bob@example.com');
    await dialog.getByRole('combobox', { name: 'Members' }).press('Tab');
    await dialog.getByText('Invited as viewer when you save: Nora@example.com.').waitFor();
    await press(dialog, 'Create group');
    await dialog
      .getByRole('group', { name: 'Invitation link' })
      .getByText('nora@example.com', { exact: false })
      .waitFor();
    await dialog.getByRole('link', { name: 'Back to the page that needs the group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    expect(await scene.stack.client.expect('GET', '/v1/groups/lawyers')).toMatchObject({
      members: ['bob@example.com', 'nora@example.com'],
    });

    await page.goto('/console/settings/members#invite-member');
    const invite = page.getByRole('dialog', { name: 'Invite member' });
    await invite.getByRole('textbox', { name: 'E-mail' }).fill('otto@example.com');
    await invite.getByRole('combobox', { name: 'Groups' }).fill('lawyers, auditors');
    await invite.getByRole('combobox', { name: 'Groups' }).press('Tab');
    await invite.getByText('Created when you save: auditors.').waitFor();
    await press(invite, 'Invite member');
    await invite.getByRole('group', { name: 'Invitation link' }).waitFor();
    for (const name of ['lawyers', 'auditors'])
      expect(await scene.stack.client.expect('GET', `/v1/groups/${name}`)).toMatchObject({
        members: expect.arrayContaining(['otto@example.com']),
      });
  });

  it('leads to no other place than the console', async () => {
    const context = await scene.newContext();
    const { page } = await scene.open(context, '/console/sign-in?return_to=//example.com/console/');
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill(scene.stack.adminKey);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${scene.stack.baseUrl}/console/`);
  });

  it('spends a link once, takes its token out of the address, and says so when it was used', async () => {
    const { hash } = new URL(await invitation(scene));
    const context = await scene.newContext();
    const { page, errors } = await scene.open(context, `/console/sign-in?return_to=/console/agents${hash}`);
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    expect(page.url()).not.toContain(hash);
    expect(errors).toEqual([]);
    const again = await scene.newContext();
    const { page: second } = await scene.open(again, `/console/sign-in${hash}`);
    await second.getByRole('alert').getByText('was used or has expired').waitFor();
    expect(second.url()).not.toContain(hash);
    expect(await accessibilityFindings(second)).toEqual([]);
  });

  it('says of a link that the service does not know that it was used or has expired', async () => {
    const context = await scene.newContext();
    const { page } = await scene.open(context, `/console/sign-in#${'A'.repeat(43)}`);
    await page.getByRole('alert').getByText('was used or has expired').waitFor();
    expect(page.url()).not.toContain('AAA');
  });

  it('says why an identity provider refused, and fits on a phone', async () => {
    const context = await scene.newContext({ viewport: { width: 320, height: 700 }, hasTouch: true });
    (await answerMethodsLater(context, ['oidc', 'email', 'link', 'key']))();
    const { page } = await scene.open(context, '/console/sign-in?error=invalid_sign_in');
    await page.getByRole('alert').getByText('you are not a member of this workspace').waitFor();
    await page.getByRole('alert').getByText('sign in another way').waitFor();
    await page.getByRole('heading', { name: 'Get a link by e-mail' }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('appears over the page when the session ends, and typed text stays', async () => {
    const context = await scene.signIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/stop');
    await page.getByText('are running').waitFor();
    await page.getByRole('button', { name: 'Stop all agents' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('typed before');
    await context.clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop all agents' }).click();
    const over = page.getByRole('dialog', { name: 'Your session has ended' });
    await over.getByRole('button', { name: 'Use an API key instead' }).click();
    await over.getByRole('textbox', { name: 'API key' }).fill(scene.stack.adminKey);
    await over.getByRole('button', { name: 'Sign in', exact: true }).click();
    await over.waitFor({ state: 'hidden' });
    expect(await page.getByRole('dialog').getByLabel('Reason').inputValue()).toBe('typed before');
  });

  it('ends with the menu of the account', async () => {
    const context = await scene.signIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/agents');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menu').getByText('admin@example.com').waitFor();
    await page.getByRole('menu').getByText('admin (signed in with an API key)').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/console/sign-in');
    await page.goto('/console/agents');
    await page.waitForURL(/\/console\/sign-in\?return_to=/);
  });
});
