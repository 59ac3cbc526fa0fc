import type { BrowserContext } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { aPerson } from '../support/people.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser, focusedText } from './support/console-scene.js';
import { aDemoWorkspace, type DemoWorkspace } from './support/demo-workspace.js';

describeInBrowser('agents in the console', () => {
  let scene: ConsoleScene;
  let demo: DemoWorkspace;
  let context: BrowserContext;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    demo = await aDemoWorkspace(scene.scene);
  });
  beforeEach(async () => {
    context = await scene.signedIn(scene.stack.adminKey);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  it('are listed with their health, and each figure leads to its list', async () => {
    const { page, errors } = await scene.open(context, '/console/agents');
    const row = page.getByRole('table', { name: 'Agents' }).getByRole('row').filter({ hasText: 'refund-desk' });
    for (const text of ['v1', 'latest is v2']) await row.getByText(text, { exact: true }).waitFor();
    await row.getByRole('link', { name: '2', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?agent=${demo.refundDesk}&status=open`);
    await page.goto('/console/agents?status=paused');
    await page.getByText('No results').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.goto('/console/agents?status=bogus');
    await page.getByRole('alert').getByText('status').waitFor();
    expect(errors).toEqual([]);
  });

  it('are found by a text and sorted by a figure', async () => {
    const { page, errors } = await scene.open(context, '/console/agents');
    const rows = page.getByRole('table', { name: 'Agents' }).locator('tbody tr');
    await rows.first().waitFor();
    const all = await rows.count();
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Failed' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await page.getByRole('columnheader', { name: 'Agent' }).and(page.locator('[aria-sort=descending]')).waitFor();
    const names = await rows.locator('td:first-child a').allTextContents();
    expect(names).toEqual([...names].sort((one, other) => other.localeCompare(one)));
    await page.locator('body').press('/');
    await page.keyboard.type('REFUND-d');
    await eventually(async () => expect(await rows.count()).toBeLessThan(all));
    expect(await rows.locator('td:first-child a').allTextContents()).toContain('refund-desk');
    expect(new URL(page.url()).searchParams.get('find')).toBe('REFUND-d');
    await page.reload();
    await eventually(async () => expect(await page.getByLabel('Find agent').inputValue()).toBe('REFUND-d'));
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('are created from the list, except by people who may not', async () => {
    const { page } = await scene.open(context, '/console/agents');
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'New agent' }).waitFor();
    await aPerson(scene.stack, 'vera@example.com', { role: 'viewer' });
    const body = { name: 'browser', kind: 'live', role: 'viewer', member: 'vera@example.com' };
    const { key } = await scene.stack.client.expect<{ key: string }>('POST', '/v1/api-keys', body);
    const reading = await scene.signedIn(key);
    const { page: read } = await scene.open(reading, '/console/agents');
    await read.getByRole('button', { name: 'New agent', description: /viewer.*agents:write/ }).waitFor();
    expect(await read.getByRole('button', { name: 'New agent' }).getAttribute('aria-disabled')).toBe('true');
    const id = await scene.stack.client.createAgent(aGatedAgent({ first: true }, 'read-only'));
    await scene.stack.client.expect('POST', `/v1/agents/${id}/versions`, aGatedAgent({ first: false }, 'read-only'));
    await read.goto(`/console/agents/${id}`);
    await read.getByRole('link', { name: 'Show definition' }).waitFor();
    await read.getByRole('button', { name: 'Evaluate and promote', description: /viewer.*agents:promote/ }).waitFor();
  });

  it('promote and roll back a version after a dialog that shows the consequences, and undo it', async () => {
    const { page, errors } = await scene.open(context, `/console/agents/${demo.refundDesk}`);
    const versions = page.getByRole('table', { name: 'Versions' });
    await versions.getByRole('row', { name: /^1 production/ }).waitFor();
    await page.getByRole('button', { name: 'Promote version 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote version 2 of refund-desk' });
    await dialog.getByText('from version 1 to version 2').waitFor();
    await dialog
      .getByRole('region', { name: 'Changes' })
      .getByText(/capabilities|critical|warning|info/)
      .first()
      .waitFor();
    await dialog.getByText('The definition has no gate.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await versions.getByRole('row', { name: /^1 production/ }).waitFor();

    await page.getByRole('button', { name: 'Promote version 2' }).click();
    await dialog.getByRole('button', { name: 'Promote version 2' }).click();
    await versions.getByRole('row', { name: /^2 production/ }).waitFor();
    await page.getByRole('region', { name: 'Production' }).getByText('admin@example.com').waitFor();
    await page.getByRole('status').getByText('Version 2 is in production.', { exact: true }).waitFor();
    await eventually(async () => expect(await focusedText(page)).toBe('Version 2 is in production.'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await versions.getByRole('row', { name: /^1 production/ }).waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();
    await versions.getByRole('row', { name: /^2 production/ }).waitFor();
    await page.getByRole('button', { name: 'Roll back to version 1' }).click();
    const back = page.getByRole('dialog', { name: 'Roll back to version 1 of refund-desk' });
    await back.getByRole('button', { name: 'Roll back to version 1' }).click();
    await versions.getByRole('row', { name: /^1 production/ }).waitFor();
    expect(errors).toEqual([]);
  });

  it('promote nothing over the promotion of a colleague', async () => {
    const { client } = scene.stack;
    const plain = (name: string) => ({ name: 'shared', steps: [{ id: 'result', output: { name } }] });
    const id = await client.createAgent(plain('one'));
    for (const name of ['two', 'three']) await client.expect('POST', `/v1/agents/${id}/versions`, plain(name));
    const { page } = await scene.open(context, `/console/agents/${id}?release=3`);
    const dialog = page.getByRole('dialog', { name: 'Promote version 3 of shared' });
    await dialog.getByText('from version 1 to version 3').waitFor();
    await client.expect('POST', `/v1/agents/${id}/versions/2/promote`, {});
    await dialog.getByRole('button', { name: 'Promote version 3' }).click();
    await dialog.getByRole('alert').getByText('Another person promoted version 2').waitFor();
    await dialog.getByText('from version 2 to version 3').waitFor();
    expect(await client.expect('GET', `/v1/agents/${id}`)).toMatchObject({ production_version: 2 });
    await dialog.getByRole('button', { name: 'Promote version 3' }).click();
    await page
      .getByRole('table', { name: 'Versions' })
      .getByRole('row', { name: /^3 production/ })
      .waitFor();
  });

  it('are evaluated and promoted in one go', async () => {
    const { client } = scene.stack;
    const id = await client.createAgent(aGatedAgent({ first: true }, 'one-go'));
    await client.expect('POST', `/v1/agents/${id}/versions`, aGatedAgent({ first: false }, 'one-go'));
    const { page, errors } = await scene.open(context, `/console/agents/${id}`);
    await page.getByRole('link', { name: 'Evaluate and promote' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote version 2 of one-go' });
    await dialog.getByRole('region', { name: 'Gate' }).getByText('needs an evaluation').waitFor();
    await dialog.getByRole('button', { name: 'Evaluate and promote' }).click();
    await page.getByRole('status').getByText('Version 2 is in production.', { exact: true }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
  });

  it('lead from a release that the gate refused to its evaluation', async () => {
    const { client } = scene.stack;
    const id = await client.createAgent(aGatedAgent({ first: true }, 'refused'));
    const failing = aGatedAgent({ first: false }, 'refused', 'failed');
    await client.expect('POST', `/v1/agents/${id}/versions`, failing);
    const { page } = await scene.open(context, `/console/agents/${id}?release=2`);
    const dialog = page.getByRole('dialog', { name: 'Promote version 2 of refused' });
    await dialog.getByRole('button', { name: 'Evaluate and promote' }).click();
    await dialog.getByRole('link', { name: 'Open the evaluation', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^Evaluation/ }).waitFor();
  });

  it('evaluate the version in production that no evaluation preceded', async () => {
    const id = await scene.stack.client.createAgent(aGatedAgent({ first: false }, 'first-version'));
    const { page, errors } = await scene.open(context, `/console/agents/${id}`);
    const production = page.getByRole('region', { name: 'Production' });
    await production.getByText('Not evaluated').waitFor();
    await production.getByRole('button', { name: 'Evaluate' }).click();
    await production.getByRole('link', { name: 'passed' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('say why a version cannot be promoted', async () => {
    const id = await scene.stack.client.createAgent(aGatedAgent({ first: true }));
    await scene.stack.client.expect('POST', `/v1/agents/${id}/versions`, aGatedAgent({ first: false }));
    const { page } = await scene.open(context, `/console/agents/${id}`);
    const promote = page.getByRole('button', { name: 'Promote version 2' });
    await promote.waitFor();
    expect(await promote.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Promote version 2', description: /needs an evaluation/ }).waitFor();
    const table = page.getByRole('table', { name: 'Versions' });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await table.evaluate((t) => t.scrollWidth - (t.parentElement?.clientWidth ?? 0))).toBeLessThanOrEqual(0);
    }
  });

  it('have versions that fit on a small phone', async () => {
    const { client } = scene.stack;
    const id = await client.createAgent(aGatedAgent({ first: true }, 'measured'));
    await client.expect('POST', `/v1/agents/${id}/versions`, aGatedAgent({ first: false }, 'measured'));
    await client.expect('POST', `/v1/agents/${id}/versions/2/evaluate`);
    const { page } = await scene.open(context, `/console/agents/${id}`);
    await page.setViewportSize({ width: 320, height: 700 });
    const row = page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: /^2/ });
    const compare = await row.getByRole('link', { name: 'Compare' }).boundingBox();
    const date = await row.locator('time').boundingBox();
    expect(compare!.x + compare!.width).toBeLessThanOrEqual(date!.x);
    expect(date!.x + date!.width).toBeLessThanOrEqual(320);
  });

  it('show for a refusal what its code tells to do', async () => {
    const { client } = scene.stack;
    const id = await client.createAgent({ name: 'outdated', steps: [{ id: 'result', output: {} }] });
    const { page } = await scene.open(context, `/console/agents/${id}`);
    const form = page.getByRole('region', { name: 'Start a run' });
    await form.getByRole('button', { name: 'Start run' }).waitFor();
    await client.expect('DELETE', `/v1/agents/${id}`);
    await form.getByRole('button', { name: 'Start run' }).click();
    await form.getByRole('alert').getByText('Use another agent.').waitFor();
  });

  it('can be started above their history on a phone, and beside it on a large screen', async () => {
    const { page } = await scene.open(context, `/console/agents/${demo.refundDesk}`);
    const top = async (name: string) => {
      const box = await page.getByRole('region', { name, exact: true }).boundingBox();
      return box?.y ?? 0;
    };
    await page.getByRole('button', { name: 'Start test run' }).waitFor();
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    expect(await top('Start a run')).toBe(await top('Production'));
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [above, below] of [
      ['Production', 'Start a run'],
      ['Start a run', 'Versions'],
      ['Start a run', 'Latest runs'],
    ] as const)
      expect(await top(above)).toBeLessThan(await top(below));
  });

  it('send what was typed, and show the refusal at the field', async () => {
    const { page } = await scene.open(context, `/console/agents/${demo.refundDesk}`);
    const form = page.getByRole('region', { name: 'Start a run' });
    await form.getByLabel('Order number').fill('1001');
    expect(await form.locator('label').allTextContents()).toEqual([
      'Order number',
      'Reason of the customer',
      'Goodwill',
      'Channel',
      'Urgent',
      'Tags',
    ]);
    await form.getByText('Start a test run with curl').click();
    await form.getByRole('region', { name: 'Command line' }).filter({ hasText: '"order":"1001"' }).waitFor();
    await form.getByLabel('goodwill').fill('a lot');
    await form.getByRole('button', { name: 'Start run' }).click();
    await form.getByRole('alert').waitFor();
    expect(await form.getByLabel('goodwill').getAttribute('aria-invalid')).toBe('true');
    expect(await form.getByLabel('goodwill').inputValue()).toBe('a lot');
    await form.getByLabel('goodwill').fill('2.5');
    await form.getByLabel('urgent').selectOption('true');
    await form.getByLabel('tags').fill('gift\nreturn');
    await form.getByRole('button', { name: 'Start test run' }).click();
    await page.waitForURL(/\/runs\/run_/);
    const run = await scene.stack.client.run(page.url().split('/').at(-1) ?? '');
    expect(run).toMatchObject({
      mode: 'test',
      input: { order: '1001', goodwill: 2.5, urgent: true, tags: ['gift', 'return'] },
    });
  });

  it('have triggers with a log that says why an event started no run', async () => {
    const { page, errors } = await scene.open(context, `/console/agents/${demo.refundDesk}`);
    await page.getByRole('button', { name: 'Actions of shop' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const secret = await page.getByRole('group', { name: 'Webhook secret' }).locator('code').innerText();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    const command = page.getByRole('region', { name: 'Command line' });
    await command
      .filter({ hasText: `${demo.refundDesk}/trigger` })
      .filter({ hasText: '"kind":"refund"' })
      .waitFor();
    const answer = await fetch(`${scene.stack.baseUrl}/v1/agents/${demo.refundDesk}/trigger`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-webhook-secret': secret },
      body: JSON.stringify({ kind: 'complaint' }),
    });
    expect(answer.ok).toBe(true);
    await page.goto(`/console/agents/${demo.refundDesk}?outcome=filtered`);
    await page.getByRole('table', { name: 'Events' }).getByText('filtered').waitFor();
    const log = page.getByRole('region', { name: 'Trigger log' });
    await page.goto(`/console/agents/${demo.refundDesk}`);
    await page.getByRole('group', { name: 'Trigger sweep' }).waitFor();
    expect(await log.count()).toBe(0);
    await page.getByText('Log', { exact: true }).click();
    await log.getByLabel('Outcome').selectOption('refused');
    await log.getByText('No results').waitFor();
    const schedule = page.getByRole('group', { name: 'Trigger sweep' });
    await schedule.getByText('Every weekday at 7:00, Europe/Berlin').waitFor();
    await schedule.getByText('Next fire').waitFor();
    await schedule.getByRole('button', { name: 'Run now' }).click();
    await schedule.getByRole('link', { name: /^run_/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('lack a group until it is created from their page', async () => {
    const definition = {
      ...aGatedAgent({ first: true }, 'without-group'),
      steps: [{ id: 'sign', ask: { to: ['legal'], title: 'Signed?', form: { type: 'object', properties: {} } } }],
    };
    const id = await scene.stack.client.createAgent(definition);
    const { id: run } = await scene.stack.client.startRun(id, {});
    await scene.runReaches(run, 'waiting_approval');
    const { page, errors } = await scene.open(context, `/console/runs/${run}`);
    const notice = page.getByRole('group', { name: 'The group legal does not exist' });
    await notice.waitFor();
    await page.getByText('The group legal does not exist, so no person can decide.').first().waitFor();
    await page.goto('/console/');
    const entries = page.getByRole('list', { name: 'Needs attention' });
    await entries.getByRole('link', { name: 'The group legal does not exist. 1 open approval names it.' }).waitFor();
    await page.goto(`/console/agents/${id}/edit`);
    const warnings = page.getByRole('region', { name: 'Warnings' });
    expect(await warnings.getByRole('link', { name: 'Create group' }).getAttribute('href')).toMatch(
      /name=legal#create/,
    );
    await page.goto(`/console/agents/${id}`);
    await notice.getByRole('link', { name: 'Create group' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create group' });
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('legal');
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('region', { name: 'Production' }).waitFor();
    await notice.waitFor({ state: 'detached' });
    expect(await scene.stack.client.expect('GET', '/v1/groups/legal')).toMatchObject({ name: 'legal' });
    expect(errors).toEqual([]);
  });

  it('are paused, resumed and archived', async () => {
    const id = await scene.stack.client.createAgent(aGatedAgent({ first: true }, 'short-lived'));
    const { page } = await scene.open(context, `/console/agents/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Archive' }).click();
    const dialog = page.getByRole('dialog');
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Pause', description: /archived/ }).waitFor();
  });
});

function aGatedAgent(output: { first: boolean }, name = 'gated', wanted = 'succeeded') {
  return {
    name,
    steps: [{ id: 'result', output }],
    evaluation: {
      cases: [{ name: 'ends', input: {}, assert: [{ type: 'status', value: wanted }] }],
      gate: { min_pass_rate: 1 },
    },
  };
}
