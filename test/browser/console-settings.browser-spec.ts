import { simpleParser } from 'mailparser';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { aPerson } from '../support/people.js';
import { verifyMessage } from '../support/webhooks.js';
import { SECTIONS } from '../../apps/console/src/settings/sections.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">';
const HOOK = '/hook';

describeInBrowser('the settings in the console', () => {
  let relay: MailServer;
  let scene: ConsoleScene;
  let viewerKey: string;
  let endpoint: string;

  beforeAll(async () => {
    relay = await MailServer.start();
    scene = await ConsoleScene.start();
    await scene.stack.lead('mail', relay.url);
    const { client } = scene.stack;
    await aPerson(scene.stack, 'vera@example.com', { role: 'viewer' });
    const viewer = { name: HOSTILE, kind: 'live', role: 'viewer', member: 'vera@example.com' };
    viewerKey = (await client.expect<{ key: string }>('POST', '/v1/api-keys', viewer)).key;
    await client.expect('POST', '/v1/groups', { name: HOSTILE, members: ['vera@example.com'] });
    const hook = { url: `${scene.scene.ledger.url}/quiet`, events: ['workspace.stopped'], description: HOSTILE };
    endpoint = (await client.expect<{ id: string }>('POST', '/v1/webhook-endpoints', hook)).id;
  });
  afterEach(() => scene.closePages());
  afterAll(async () => {
    await scene.stop();
    await relay.close();
  });

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}, key?: string) => {
    const context = await scene.signedIn(key ?? scene.stack.adminKey, options);
    const watched = await scene.open(context, `/console${path}`);
    await untilIdle(watched.page);
    return { ...watched, context };
  };
  const untilIdle = (page: Page) => page.locator('main[aria-busy="false"]').waitFor();
  const rowOf = (page: Page, table: string, text: string): Locator =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });
  /** Clicks the button that opens a dialog, and returns the dialog. */
  const dialogOf = async (page: Page, button: string, within: Page | Locator = page): Promise<Locator> => {
    await within.getByRole('button', { name: button, exact: true }).click();
    return page.getByRole('dialog');
  };
  /** Chooses an action in the menu of a row, and returns its dialog. */
  const menuDialogOf = async (page: Page, action: string, row: Locator): Promise<Locator> => {
    await row.getByRole('button', { name: /^Actions of / }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
    return page.getByRole('dialog');
  };
  const confirm = (dialog: Locator, button: string) =>
    // Not by role: a list that is open hides the other elements from assistive technology.
    dialog
      .locator('button')
      .filter({ hasText: new RegExp(`^${button}$`) })
      .click();

  const SCREENS: readonly (readonly [path: string, heading: string])[] = [
    ['/settings', 'Members'],
    ...SECTIONS.map(({ path, name }) => [path, name] as const),
    ['/settings/webhooks/:endpoint', ':url'],
    ['/settings/webhooks/whe_unknown', 'Not found'],
  ];

  it.each(SCREENS)('%s is reached by its address, and accessible', async (path, heading) => {
    const { page, errors } = await open(path.replace(':endpoint', endpoint));
    const name = heading.replace(':url', `${scene.scene.ledger.url}/quiet`);
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['/settings/members', 'Invite member'],
    ['/settings/groups', 'Create group'],
    ['/settings/keys', 'Create key'],
    ['/settings/secrets', 'Create secret'],
    ['/settings/connections', 'Create connection'],
    ['/settings/webhooks', 'Create endpoint'],
  ])('the dialog of %s is accessible, closes with Escape and gives the focus back', async (path, button) => {
    const { page } = await open(path);
    const opener = page.getByRole('button', { name: button, exact: true });
    await opener.press('Enter');
    await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await eventually(async () => {
      expect(await page.locator('button:focus').allInnerTexts()).toEqual([button]);
    });
  });

  it('lay themselves out on a phone without scrolling sideways', async () => {
    const { page } = await open('/settings', { viewport: { width: 320, height: 700 }, hasTouch: true });
    for (const { group, name } of SECTIONS)
      await page.getByRole('region', { name: group }).getByRole('link', { name, exact: true }).waitFor();
    for (const [path] of SCREENS) {
      await page.goto(`/console${path.replace(':endpoint', endpoint)}`);
      await untilIdle(page);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([path, width <= 320]).toEqual([path, true]);
    }
  });

  it('invite a person by mail, who signs in with the link and appears among the members', async () => {
    await scene.stack.client.expect('POST', '/v1/groups', { name: 'deciders', members: [] });
    const { page } = await open('/settings/members');
    const dialog = await dialogOf(page, 'Invite member');
    const email = dialog.getByRole('textbox', { name: 'E-mail' });
    await email.fill('no address');
    await confirm(dialog, 'Invite member');
    await dialog.getByRole('alert').getByText('is not an e-mail address').waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    await email.fill('bob@example.com');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('builder');
    await dialog.getByRole('combobox', { name: 'Groups' }).fill('deciders');
    await dialog.getByRole('combobox', { name: 'Groups' }).press('Tab');
    await confirm(dialog, 'Invite member');
    const link = dialog.getByRole('group', { name: 'Invitation link' });
    await link.getByText('was mailed to').waitFor();
    const { text = '' } = await simpleParser(relay.mails.find(({ to }) => to.includes('bob@example.com'))?.raw ?? '');
    const url = /http\S+#\S+/.exec(text)?.[0] ?? '';
    expect(await link.getByText(url, { exact: true }).count()).toBe(1);
    await confirm(dialog, 'Close');
    await rowOf(page, 'Members', 'bob@example.com').getByText('builder').waitFor();
    await rowOf(page, 'Members', 'bob@example.com').getByRole('cell', { name: 'deciders', exact: true }).waitFor();

    const invited = await scene.newContext();
    const { page: theirs } = await scene.open(invited, `/console/sign-in${new URL(url).hash}`);
    await theirs.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Actions of bob@example.com' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Change role', 'New sign-in link', 'Remove']);
  });

  it('invite others again, change the role and remove a member', async () => {
    await aPerson(scene.stack, 'carl@example.com', { role: 'viewer' });
    const { page } = await open('/settings/members');
    const row = rowOf(page, 'Members', 'carl@example.com');
    await row.getByText('Read everything and decide approvals').click();
    await row.getByText('see runs').waitFor();
    const own = page.getByRole('row').filter({ has: page.getByText('you', { exact: true }) });
    await own.getByRole('button', { name: 'Actions of admin@example.com' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Change role']);
    await page.keyboard.press('Escape');
    const again = await menuDialogOf(page, 'Invite again', row);
    await confirm(again, 'Invite again');
    await again.getByRole('group', { name: 'Invitation link' }).waitFor();
    await confirm(again, 'Close');
    const change = await menuDialogOf(page, 'Change role', row);
    await change.getByRole('combobox', { name: 'Role' }).selectOption('operator');
    await confirm(change, 'Change role');
    await row.getByText('operator').waitFor();
    await confirm(await menuDialogOf(page, 'Remove', row), 'Remove');
    await row.waitFor({ state: 'detached' });
  });

  it('create, change and delete a group, and show a refused address at its field', async () => {
    const { page } = await open('/settings/groups');
    const dialog = await dialogOf(page, 'Create group');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('finance');
    const members = dialog.getByRole('combobox', { name: 'Members' });
    await members.fill('admin@example.com, stranger');
    await members.press('Enter');
    await dialog.getByText('"stranger" is not in the list, and is not an e-mail address').waitFor();
    expect(await members.getAttribute('aria-invalid')).toBe('true');
    await confirm(dialog, 'Create group');
    await dialog.locator('[role=combobox]:focus').waitFor();
    await members.fill('admin@example.com, vera@example.com');
    await members.press('Tab');
    const chip = await dialog.getByRole('row', { name: 'vera@example.com' }).boundingBox();
    await members.click();
    const list = await page.getByRole('listbox').boundingBox();
    expect((chip?.y ?? 0) + (chip?.height ?? 0)).toBeLessThanOrEqual(list?.y ?? 0);
    await members.press('Escape');
    await confirm(dialog, 'Create group');
    const row = rowOf(page, 'Groups', 'finance');
    await row.getByText('admin@example.com, vera@example.com').waitFor();
    const change = await menuDialogOf(page, 'Change members', row);
    await change.getByRole('row', { name: 'admin@example.com' }).getByRole('button').click();
    await confirm(change, 'Change members');
    await row.getByText('vera@example.com', { exact: true }).waitFor();
    await confirm(await menuDialogOf(page, 'Delete', row), 'Delete');
    await row.waitFor({ state: 'detached' });
  });

  it.each(['click', 'Enter'] as const)('take the member of a part of an address with %s', async (way) => {
    const name = `chosen-${way.toLowerCase()}`;
    await scene.stack.client.expect('POST', '/v1/groups', { name, members: [] });
    const { page } = await open('/settings/groups');
    const row = rowOf(page, 'Groups', name);
    const change = await menuDialogOf(page, 'Change members', row);
    const members = change.getByRole('combobox', { name: 'Members' });
    await members.fill('ver');
    const option = page.getByRole('option', { name: 'vera@example.com' });
    if (way === 'click') await option.click();
    else await option.waitFor().then(() => members.press('Enter'));
    await change.getByRole('row', { name: 'vera@example.com' }).waitFor();
    await confirm(change, 'Change members');
    await row.getByText('vera@example.com').waitFor();
  });

  it('say before a group is deleted how many open approvals need it', async () => {
    const { client } = scene.stack;
    await client.expect('POST', '/v1/groups', { name: 'signers', members: ['admin@example.com'] });
    const approvals = { signature: { approvers: ['signers'], timeout: '1h', on_timeout: 'fail' } };
    const agent = await client.createAgent({
      name: 'signed',
      approvals,
      steps: [{ id: 'sign', approval: 'signature' }],
    });
    await scene.runReaches((await client.startRun(agent, {})).id, 'waiting_approval');
    const { page } = await open('/settings/groups');
    const remove = await menuDialogOf(page, 'Delete', rowOf(page, 'Groups', 'signers'));
    await remove.getByText('1 open approval needs its members.').waitFor();
  });

  it('create an API key that is shown once, rotate it, and revoke it', async () => {
    const { page } = await open('/settings/keys');
    const statusOf = async (key: string) =>
      (await fetch(`${scene.stack.baseUrl}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
    const shownKey = async (dialog: Locator) => {
      const text = await dialog.getByRole('group', { name: 'API key' }).locator('code').innerText();
      await confirm(dialog, 'Close');
      return text;
    };
    const dialog = await dialogOf(page, 'Create key');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('nightly');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('operator');
    await dialog.getByRole('combobox', { name: 'Kind' }).selectOption('test');
    await dialog.getByText('Everything that the role may do, all agents').click();
    await dialog.getByRole('combobox', { name: 'Scopes' }).fill('see runs');
    await dialog.getByRole('combobox', { name: 'Scopes' }).press('Tab');
    await confirm(dialog, 'Create key');
    const first = await shownKey(dialog);
    expect(await statusOf(first)).toBe(200);
    expect(await page.content()).not.toContain(first);
    const row = rowOf(page, 'API keys', 'nightly');
    await row.getByText('See runs', { exact: true }).waitFor();
    const rotation = await menuDialogOf(page, 'Rotate', row);
    await rotation.getByRole('combobox', { name: 'The previous one stays valid' }).selectOption('not at all');
    await confirm(rotation, 'Rotate');
    const second = await shownKey(rotation);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    await confirm(await menuDialogOf(page, 'Revoke', row), 'Revoke');
    await row.waitFor({ state: 'detached' });
    expect(await statusOf(second)).toBe(401);
  });

  it('narrow a key of an assistant to an agent, and show the settings of the assistant', async () => {
    const expose = { mcp: { tool: 'ask_assisted' } };
    const definition = { name: 'assisted', description: 'Helps.', expose, steps: [{ id: 'a', output: 1 }] };
    await scene.stack.client.expect('POST', '/v1/agents', definition);
    const { page } = await open('/settings/keys');
    const dialog = await dialogOf(page, 'Create key');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('helper');
    await dialog.getByText('Everything that the role may do, all agents').click();
    await dialog.getByRole('combobox', { name: 'Agents' }).fill('assisted');
    await dialog.getByRole('combobox', { name: 'Agents' }).press('Tab');
    await dialog.getByRole('combobox', { name: 'Approvals' }).selectOption('never (a key of a machine)');
    await confirm(dialog, 'Create key');
    await confirm(dialog, 'Close');
    await page.getByRole('link', { name: 'Assistants', exact: true }).click();
    const row = rowOf(page, 'API keys', 'helper');
    await row.getByTitle('automation', { exact: true }).waitFor();
    await row.getByRole('cell', { name: 'assisted' }).waitFor();
    await page.getByRole('combobox', { name: 'Assistant' }).selectOption('vscode');
    await page.getByRole('combobox', { name: 'Purpose' }).selectOption('build agents');
    const settings = JSON.parse(await page.locator('pre').innerText());
    expect(settings.servers['aas-author']).toMatchObject({
      url: `${new URL(page.url()).origin}/v1/mcp/author`,
      headers: { Authorization: 'Bearer ${env:AAS_API_KEY}' },
    });
    const exposed = page.getByRole('listitem').filter({ hasText: 'ask_assisted' });
    expect(await exposed.innerText()).toBe('assisted as the tool ask_assisted');
    await exposed.getByRole('link', { name: 'assisted' }).click();
    await page.getByText('Exposed as tool ask_assisted').waitFor();
  });

  it('save, replace and delete a secret whose value nothing shows', async () => {
    const { page } = await open('/settings/secrets');
    const dialog = await dialogOf(page, 'Create secret');
    const value = dialog.getByRole('textbox', { name: 'Value' });
    expect(await value.getAttribute('type')).toBe('text');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('SHOP_TOKEN');
    await value.fill('sk-very-secret');
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('[role=dialog] input:focus')).webkitTextSecurity`),
    ).toBe('disc');
    await confirm(dialog, 'Create secret');
    const row = rowOf(page, 'Secrets', 'SHOP_TOKEN');
    await row.waitFor();
    expect(await page.content()).not.toContain('sk-very-secret');
    const replace = await menuDialogOf(page, 'Replace value', row);
    await replace.getByRole('textbox', { name: 'Value' }).fill('sk-other');
    await confirm(replace, 'Replace value');
    await replace.waitFor({ state: 'hidden' });
    await confirm(await menuDialogOf(page, 'Delete', row), 'Delete');
    await row.waitFor({ state: 'detached' });
  });

  it('list files with the space that they use, and delete one', async () => {
    const sent = await fetch(`${scene.stack.baseUrl}/v1/files?filename=${encodeURIComponent(HOSTILE)}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${scene.stack.adminKey}`, 'Content-Type': 'text/csv' },
      body: 'x'.repeat(3_000),
    });
    expect(sent.status).toBe(201);
    const { page } = await open('/settings/files');
    await page.getByText('1 file, 2.9 KiB of 10 GiB (0%)').waitFor();
    const row = rowOf(page, 'Files', 'onerror');
    await row.getByText('text/csv').waitFor();
    await confirm(await dialogOf(page, 'Delete', row), 'Delete');
    await page.getByText('No file yet').waitFor();
    await page.getByText('0 files, 0 B of 10 GiB (0%)').waitFor();
  });

  it('create an endpoint, send it a test event, retry what failed, and disable it', async () => {
    const { ledger } = scene.scene;
    const { page } = await open('/settings/webhooks');
    const dialog = await dialogOf(page, 'Create endpoint');
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${ledger.url}${HOOK}`);
    await dialog.getByRole('group', { name: 'Events' }).getByRole('checkbox', { name: 'run.completed' }).check();
    await confirm(dialog, 'Create endpoint');
    const secret = await dialog.getByRole('group', { name: 'Signing secret' }).locator('code').innerText();
    await confirm(dialog, 'Close');
    await page.getByRole('link', { name: `${ledger.url}${HOOK}` }).click();

    ledger.always(HOOK, { status: 500, body: HOSTILE });
    await page.getByRole('button', { name: 'Send test event' }).click();
    const row = rowOf(page, 'Deliveries', 'webhook.test');
    await row.getByText('failed').waitFor();
    await page.getByText(/^Test event not delivered: 500/).waitFor();
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('onerror').waitFor();
    await page.getByRole('region', { name: 'Request' }).getByText(`POST ${ledger.url}${HOOK}`).waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await page.getByRole('button', { name: 'Retry all failed (1)' }).waitFor();
    ledger.always(HOOK, { status: 200, body: { received: true } });
    await row.getByRole('button', { name: 'Retry' }).click();
    await row.getByText('delivered').waitFor();
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await page
      .getByRole('region', { name: 'Response', exact: true })
      .getByRole('region', { name: 'Response body' })
      .getByText('received')
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'webhook.test' }).click();
    const received = ledger.callsOf(HOOK).at(-1);
    expect(received && verifyMessage(received, secret)).toMatchObject({ type: 'webhook.test' });
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
    await page.getByText('No results').waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');

    const change = await dialogOf(page, 'Change');
    await change.getByRole('textbox', { name: 'Description' }).fill('Ledger of the shop');
    await confirm(change, 'Change');
    await page.getByText('Ledger of the shop').waitFor();
    const rotation = await dialogOf(page, 'Rotate secret');
    await confirm(rotation, 'Rotate secret');
    expect(await rotation.getByRole('group', { name: 'Signing secret' }).locator('code').innerText()).not.toBe(secret);
    await confirm(rotation, 'Close');
    await confirm(await dialogOf(page, 'Disable'), 'Disable');
    const test = page.getByRole('button', { name: 'Send test event' });
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await test.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await confirm(await dialogOf(page, 'Delete'), 'Delete');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: `${ledger.url}${HOOK}` }).waitFor({ state: 'detached' });
  });

  it('show in the audit log what was done, filtered by the address', async () => {
    const { page } = await open('/settings/audit?action=webhook.create');
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByRole('link', { name: '/quiet' }).waitFor();
    await page.getByRole('combobox', { name: 'Action' }).fill('the group');
    await page.getByRole('option', { name: 'created the group' }).click();
    await table.getByRole('link', { name: HOSTILE }).waitFor();
    expect(new URL(page.url()).search).toBe('?action=group.create');
    await page.getByRole('textbox', { name: 'Actor' }).fill('stranger@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('No results').waitFor();
    await page.goBack();
    await table.getByRole('link', { name: HOSTILE }).waitFor();
    await page.goto('/console/settings/audit?action=bogus');
    await page.getByRole('alert').getByText('action').first().waitFor();
  });

  it('ask for a new sign-in over the page where one is needed, and do what was asked', async () => {
    const { page, context } = await open('/settings/secrets');
    await scene.ageSignIn(context);
    const dialog = await dialogOf(page, 'Create secret');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('STEPPED_UP');
    await dialog.getByRole('textbox', { name: 'Value' }).fill('typed before');
    const over = page.getByRole('dialog', { name: 'Sign in again' });
    const save = page.getByRole('dialog', { name: 'Create secret' });
    await confirm(save, 'Create secret');
    await over.getByText('minutes old. Sign in again. After the sign-in, the request is sent again.').waitFor();
    expect(await over.getByText('first admin').count()).toBe(0);
    await confirm(over, 'Cancel');
    await save.getByRole('alert').waitFor();
    expect(await save.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('typed before');
    await confirm(save, 'Create secret');
    await confirm(over, 'Use an API key instead');
    await over.getByRole('textbox', { name: 'API key' }).fill(scene.stack.adminKey);
    await confirm(over, 'Sign in');
    await rowOf(page, 'Secrets', 'STEPPED_UP').waitFor();
  });

  it('accept a sign-in link over the page, from a person who has no API key', async () => {
    const { client } = scene.stack;
    const { data } = await client.expect<{ data: { id: string; email: string }[] }>('GET', '/v1/members?limit=100');
    const admin = data.find(({ email }) => email === 'admin@example.com');
    const linkOfAdmin = async () =>
      (await client.expect<{ url: string }>('POST', `/v1/members/${admin?.id}/invitations`, {})).url;
    const context = await scene.newContext();
    const { page, errors } = await scene.open(context, `/console/sign-in${new URL(await linkOfAdmin()).hash}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const link = await linkOfAdmin();
    await scene.ageSignIn(context);
    await page.goto('/console/settings/secrets');
    const save = await dialogOf(page, 'Create secret');
    await save.getByRole('textbox', { name: 'Name' }).fill('BY_LINK');
    await save.getByRole('textbox', { name: 'Value' }).fill('typed before');
    await confirm(save, 'Create secret');
    const over = page.getByRole('dialog', { name: 'Sign in again' });
    await over.getByText('You run this installation?').click();
    await over.getByText('npm run keys -- sign-in-link --email admin@example.com').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await over.getByRole('textbox', { name: 'Sign-in link' }).fill(link);
    await confirm(over, 'Sign in');
    await rowOf(page, 'Secrets', 'BY_LINK').waitFor();
    expect(errors).toEqual([]);
  });

  it('show a viewer the controls, and why they do nothing', async () => {
    for (const [path, button, scope] of [
      ['/settings/members', 'Invite member', 'members:manage'],
      ['/settings/groups', 'Create group', 'members:manage'],
      ['/settings/keys', 'Create key', 'keys:manage'],
      ['/settings/secrets', 'Create secret', 'secrets:write'],
      ['/settings/connections', 'Create connection', 'connections:write'],
      ['/settings/webhooks', 'Create endpoint', 'webhooks:manage'],
    ] as const) {
      const { page, errors } = await open(path, {}, viewerKey);
      const control = page.getByRole('button', { name: button, exact: true });
      await eventually(async () => expect(await control.getAttribute('aria-disabled')).toBe('true'));
      const reason = page.locator(`[id="${await control.getAttribute('aria-describedby')}"]`);
      expect(await reason.textContent()).toContain(scope);
      await control.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(errors).toEqual([]);
    }
  });

  it('list the sessions of the person, and end one of them', async () => {
    const other = await scene.signIn(scene.stack.adminKey);
    const { page } = await open('/settings/sessions');
    await page.getByText('this session', { exact: true }).waitFor();
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    const count = await rows.count();
    await rows.filter({ hasNotText: 'this session' }).getByRole('button', { name: 'Revoke' }).first().click();
    await confirm(page.getByRole('dialog'), 'Revoke');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await rows.nth(count - 1).waitFor({ state: 'detached' });
    const headers = { 'sec-fetch-site': 'same-origin' };
    await eventually(async () => expect((await other.request.get('/v1/me', { headers })).status()).toBe(401));
  });

  it('sign the person out who revokes the session of the browser', async () => {
    const context = await scene.signIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/settings/sessions');
    const own = page.getByRole('row').filter({ hasText: 'this session' });
    await own.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText('You will be signed out').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await own.getByRole('button', { name: 'Revoke' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await page.waitForURL('**/console/sign-in');
  });
});
