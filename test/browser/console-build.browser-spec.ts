import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const HOSTILE = '<img src=x onerror="document.title=\'hacked\'">\u202E';

/**
 * Returns the definition of an agent with one evaluation case. Without `gate`, the promotion gate requires that every
 * case passes.
 */
function aGreeter({
  name = 'greeter',
  greeting = 'Hello',
  expected = 'Hello Ada',
  gate = '{}',
  note = '',
} = {}): string {
  return `name: ${name}
description: ${JSON.stringify(`Greets people.${note}`)}
input:
  type: object
  required: [name]
  properties:
    name: { type: string, title: Name }
steps:
  - id: result
    output: { greeting: '${greeting} \${{ input.name }}' }
evaluation:
  cases:
    - name: greets Ada
      input: { name: Ada }
      assert:
        - { type: equals, path: output.greeting, value: ${expected} }
  gate: ${gate}
`;
}

describeInBrowser('building and proving agents in the console', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) =>
    scene.open(await scene.signedIn(scene.stack.adminKey, options), `/console${path}`);
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Definition' });
  const focused = (page: Page) => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
  const problems = (page: Page) => page.getByRole('region', { name: 'Problems' });
  /** Sends a definition as YAML text, which the service stores unchanged. It would reformat a JSON body. */
  const post = async <Body>(path: string, text: string): Promise<Body> => {
    const { baseUrl, adminKey } = scene.stack;
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/yaml' };
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: text });
    expect(answer.status).toBe(201);
    return (await answer.json()) as Body;
  };
  const createAgent = async (text: string) => (await post<{ id: string }>('/v1/agents', text)).id;
  const addVersion = (agent: string, text: string) => post(`/v1/agents/${agent}/versions`, text);

  it('write an agent, correct its mistake, evaluate, refuse, promote and roll back', async () => {
    const { page, errors } = await open('/agents/new');
    await editor(page).fill(aGreeter().replace('steps:', 'stesp:'));
    const problem = problems(page).getByRole('button', { name: /^Line 8: .*stesp/ });
    await problem.click();
    expect(await focused(page)).toBe('Definition');

    await editor(page).fill(aGreeter());
    await problems(page).getByText('None.').waitFor();
    await page.getByRole('list', { name: 'Plan' }).getByText('greeting').waitFor();
    await page.getByRole('button', { name: 'Save version' }).click();
    await page.waitForURL(/\/agents\/agt_\w+$/);
    const agent = new URL(page.url()).pathname.split('/').at(-1) ?? '';

    await page.goto(`/console/agents/${agent}/edit`);
    await editor(page).fill(aGreeter({ greeting: 'Bye', gate: '{ min_pass_rate: 0.5 }' }));
    await page.getByRole('button', { name: 'Save version' }).click();
    await page.getByRole('link', { name: 'Compare with production' }).click();
    await page.waitForURL(/compare\/1\.\.\.2$/);
    const promote = (description: RegExp) => page.getByRole('button', { name: 'Promote version 2', description });
    await promote(/needs an evaluation/).waitFor();
    expect(await promote(/needs an evaluation/).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByRole('list', { name: 'Reasons' }).getByText('50%').waitFor();
    await promote(/did not pass|no conclusive result/).waitFor();
    await page.getByRole('link', { name: 'Open evaluation' }).click();
    await page.getByRole('table', { name: 'Cases' }).getByText('expected value (failed)').waitFor();

    await addVersion(agent, aGreeter({ greeting: 'Hello', note: ' Kindly.' }));
    await page.goto(`/console/agents/${agent}/compare/1...3`);
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page
      .getByRole('region', { name: 'Gate of version 3' })
      .getByRole('status')
      .getByText('passed', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Promote version 3' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote version 3' }).click();
    await page.getByRole('status').getByText('Version 3 is in production.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Roll back to version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back to version 1' }).click();
    await page.getByRole('status').getByText('Version 1 is in production.', { exact: true }).waitFor();
    const { production_version: production } = await scene.stack.client.expect<{ production_version: number }>(
      'GET',
      `/v1/agents/${agent}`,
    );
    expect(production).toBe(1);
    expect(errors).toEqual([]);
  });

  it('ask for a new sign-in before they show the webhook secret of a new agent, and keep the text', async () => {
    const context = await scene.signIn(scene.stack.adminKey);
    const { page } = await scene.open(context, '/console/agents/new');
    await editor(page).fill(aGreeter({ greeting: 'Later' }).replace('name: greeter', 'name: stepped-up'));
    await problems(page).getByText('None.').waitFor();
    await scene.ageSignIn(context);
    await page.getByRole('button', { name: 'Save version' }).click();
    const over = page.getByRole('dialog', { name: 'Sign in again' });
    await over.getByRole('button', { name: 'Use an API key instead' }).click();
    await over.getByRole('textbox', { name: 'API key' }).fill(scene.stack.adminKey);
    await over.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/agents\/agt_\w+$/);
  });

  it('run the text before an agent has it, and show its steps, its output and why it failed', async () => {
    const agents = async () => (await scene.stack.client.expect<{ data: object[] }>('GET', '/v1/agents')).data;
    const before = await agents();
    const { page, errors } = await open('/agents/new');
    await editor(page).fill(aGreeter({ greeting: 'Welcome' }));
    const start = page.getByRole('button', { name: 'Start test run' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await start.click();
    const outcome = page.getByRole('region', { name: 'Latest test run' });
    await outcome.getByText('succeeded', { exact: true }).first().waitFor();
    await outcome.getByText('Welcome Ada').waitFor();
    await outcome.getByRole('list', { name: 'Steps of the test run' }).getByRole('link', { name: 'trigger' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await agents()).toEqual(before);

    await editor(page).fill(aGreeter().replace('{{ input.name }}', '{{ input.nam }}'));
    await start.click();
    await page.getByRole('alert').first().waitFor();
    await editor(page).fill(aGreeter());
    await page.getByRole('textbox', { name: 'Name' }).fill('');
    await start.click();
    await page
      .getByRole('alert')
      .filter({ hasText: /name|input/i })
      .first()
      .waitFor();
    await outcome.getByRole('link', { name: 'Open run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/runs\/run_/);
    expect(errors).toEqual([]);
  });

  it('run an example at once with the answers of its evaluation cases', async () => {
    const { page, errors } = await open('/agents/new');
    await page.getByRole('button', { name: 'Plan with approval' }).click();
    const order = page.getByRole('textbox', { name: 'Order number' });
    await eventually(async () => expect(await order.inputValue()).toBe('1001'));
    await page.getByRole('button', { name: 'Start test run' }).click();
    const outcome = page.getByRole('region', { name: 'Latest test run' });
    await outcome.getByText('succeeded', { exact: true }).first().waitFor();
    await page.getByRole('combobox', { name: 'Case' }).selectOption('a large refund waits');
    await eventually(async () => expect(await order.inputValue()).toBe('1002'));
    await page.getByRole('button', { name: 'Start test run' }).click();
    await outcome.getByText('The run waits for a decision').waitFor();
    expect(errors).toEqual([]);
  });

  it('show both texts when two people edit at once, and save over the newer one only the second time', async () => {
    const agent = await createAgent(aGreeter({ name: 'shared' }));
    const { page } = await open(`/agents/${agent}/edit`);
    await editor(page).fill(aGreeter({ name: 'shared', note: ' Mine.' }));
    await addVersion(agent, aGreeter({ name: 'shared', note: ' Theirs.' }));
    await page.getByRole('button', { name: 'Save version' }).click();
    const conflict = page.getByRole('region', { name: 'A newer version was saved' });
    await conflict
      .getByRole('textbox', { name: /^Version 2/ })
      .getByText('Theirs.')
      .waitFor();
    await conflict.getByRole('textbox', { name: 'Your text' }).getByText('Mine.').waitFor();
    await page.getByRole('button', { name: 'Save version' }).click();
    await page.getByText('Saved as version 3.').waitFor();
    expect(await conflict.count()).toBe(0);
    const saved = await scene.stack.client.expect<{ definition: { description: string } }>(
      'GET',
      `/v1/agents/${agent}/versions/3`,
    );
    expect(saved.definition.description).toBe('Greets people. Mine.');
  });

  it('keep unsaved text through a reload and the end of the session, and let it be discarded', async () => {
    const agent = await createAgent(aGreeter({ name: 'kept' }));
    const context = await scene.signIn(scene.stack.adminKey);
    const { page } = await scene.open(context, `/console/agents/${agent}/edit`);
    await editor(page).fill(aGreeter({ name: 'kept', note: ' Unsaved.' }));
    await page.getByText('Not saved, based on version 1').waitFor();
    await page.reload();
    await editor(page).getByText('Unsaved.').waitFor();
    await context.clearCookies();
    await editor(page).press('End');
    await page.keyboard.type(' ');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Use an API key instead' }).click();
    await dialog.getByRole('textbox', { name: 'API key' }).fill(scene.stack.adminKey);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await editor(page).getByText('Unsaved.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Discard unsaved text' }).click();
    await eventually(async () => expect(await editor(page).innerText()).not.toContain('Unsaved.'));
    await page.reload();
    await editor(page).waitFor();
    expect(await editor(page).innerText()).not.toContain('Unsaved.');
  });

  it('ask before unsaved text is left', async () => {
    const { page } = await open('/agents/new');
    await editor(page).fill('name: left');
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    expect(new URL(page.url()).pathname).toBe('/console/agents/new');
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/runs$/);
  });

  it('complete names and values of the format, and Escape, then Tab leaves the editor', async () => {
    const { page } = await open('/agents/new');
    await editor(page).fill('name: x\n');
    await editor(page).press('Control+End');
    await page.keyboard.type('poli');
    await page.getByRole('option', { name: /^policies/ }).waitFor();
    await page.getByRole('option', { name: /^policy_defaults/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await focused(page)).not.toBe('Definition');
    await editor(page).focus();
    await page.keyboard.type('c');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Definition');
  });

  it('offer complete definitions to start from, and replace a text only after a confirmation', async () => {
    const { page } = await open('/agents/new');
    const gallery = page.getByRole('region', { name: 'Start from an example' });
    const checked = () => page.waitForResponse(/definitions\/validate/);
    const validity = async (response: Promise<{ json: () => Promise<unknown> }>) => (await response).json();
    const first = checked();
    await gallery.getByRole('button', { name: /^Plan with approval.*group finance/ }).click();
    expect(await validity(first)).toMatchObject({ valid: true });
    expect(await gallery.count()).toBe(0);
    await page.getByRole('button', { name: 'Insert example' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Agents of the cookbook').click();
    const cookbook = dialog.getByRole('list', { name: 'Agents of the cookbook' });
    await cookbook.waitFor();
    const titles = await cookbook.locator('strong').allInnerTexts();
    expect(titles).toContain('A supervisor with two experts · supervisor-math');
    expect(new Set(titles).size).toBe(titles.length);
    await cookbook.getByRole('button', { name: /digest of news feeds.*secret SLACK_WEBHOOK_URL/ }).click();
    await dialog.getByText('Replace your text').waitFor();
    expect(await editor(page).innerText()).toContain('refunds');
    const second = checked();
    await dialog.getByRole('button', { name: 'Replace text' }).click();
    expect(await validity(second)).toMatchObject({ valid: true });
    await editor(page).press('Control+z');
    await eventually(async () => expect(await editor(page).innerText()).toContain('refunds'));
  });

  it('add a run as an evaluation case', async () => {
    const agent = await createAgent(aGreeter({ name: 'recorded' }));
    const { id } = await scene.stack.client.startRun(agent, { name: 'Bob' });
    await scene.runReaches(id, 'succeeded');
    const { page } = await open(`/runs/${id}`);
    await page.getByRole('link', { name: 'Add as evaluation case' }).click();
    await editor(page).getByText(`as in ${id}`).waitFor();
    await problems(page).getByText('None.').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  describe('with two versions and an evaluation', () => {
    let agent: string;
    let evaluation: string;

    beforeAll(async () => {
      agent = await createAgent(aGreeter({ name: 'pictured' }));
      const second = aGreeter({ name: 'pictured', gate: '{ min_pass_rate: 0.9 }', note: HOSTILE });
      // The text is longer than the editor, which therefore scrolls.
      await addVersion(agent, `${second}${'# The end\n'.repeat(40)}`);
      const started = await scene.stack.client.expect<{ id: string }>(
        'POST',
        `/v1/agents/${agent}/versions/2/evaluate`,
      );
      evaluation = started.id;
      await eventually(async () => {
        const { status } = await scene.stack.client.expect<{ status: string }>('GET', `/v1/evaluations/${evaluation}`);
        expect(status).toBe('inconclusive');
      });
    });

    const address = (path: string) => path.replace(':agent', agent).replace(':evaluation', evaluation);

    it.each([
      ['/agents/new', 'New agent'],
      ['/agents/:agent/edit', 'Edit pictured'],
      ['/agents/:agent/compare/1...2', 'Changes from 1 (production) to 2'],
      ['/agents/:agent/compare/1...2?view=split', 'Changes from 1 (production) to 2'],
      ['/evaluations/:evaluation', 'Evaluation of pictured'],
    ])('%s is accessible', async (path, heading) => {
      const { page, errors } = await open(address(path));
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      await page.locator('main[aria-busy="false"]').waitFor();
      if (!path.startsWith('/evaluations')) await page.locator('.cm-content').first().waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(errors).toEqual([]);
    });

    it.each([
      '/agents/new',
      '/agents/:agent/edit',
      '/agents/:agent/compare/1...2?view=split',
      '/evaluations/:evaluation',
    ])('%s does not scroll sideways on a phone', async (path) => {
      const { page } = await open(address(path), { viewport: { width: 320, height: 700 }, hasTouch: true });
      await page.locator('main[aria-busy="false"]').waitFor();
      await page.locator('.cm-content, table').first().waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    });

    it('show a difference in one column on a phone', async () => {
      const viewport = { width: 320, height: 700 };
      const { page } = await open(address('/agents/:agent/compare/1...2?view=split'), { viewport, hasTouch: true });
      await page.locator('.cm-content').first().waitFor();
      expect(await page.locator('.cm-content').count()).toBe(1);
      expect(await page.getByRole('combobox', { name: 'View' }).count()).toBe(0);
    });

    it('show hostile texts in a difference as text', async () => {
      const { page, errors } = await open(address('/agents/:agent/compare/1...2'));
      await page.getByText('onerror=').first().waitFor();
      expect(await page.title()).not.toContain('hacked');
      expect(await page.locator('main img[src="x"]').count()).toBe(0);
      expect(errors).toEqual([]);
    });

    it('say how many more trials decide, and filter the cases in the address', async () => {
      const { page } = await open(address('/evaluations/:evaluation'));
      await page.getByText('24 more passing trials decide').waitFor();
      await page.getByRole('combobox', { name: 'Show' }).selectOption('failed');
      await page.getByText('No results').waitFor();
      expect(new URL(page.url()).search).toBe('?only=failed');
      await page.goto(`/console${address('/evaluations/:evaluation?only=bogus')}`);
      await page.getByRole('alert').getByText('bogus').waitFor();
    });

    it('say so when there is no such version, evaluation or address', async () => {
      for (const path of ['/agents/:agent/compare/1...9', '/agents/:agent/compare/1..2', '/evaluations/evl_unknown']) {
        const { page } = await open(address(path));
        await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      }
    });

    it('are visible to people who may not change anything, with the reason', async () => {
      const { client } = scene.stack;
      const { member } = await client.expect<{ member: string }>('GET', '/v1/me');
      const wanted = { name: 'Reads only', kind: 'live', role: 'viewer', member };
      const { key } = await client.expect<{ key: string }>('POST', '/v1/api-keys', wanted);
      const { page } = await scene.open(await scene.signedIn(key), `/console/agents/${agent}/compare/1...2`);
      for (const name of ['Promote version 2', 'Evaluate']) {
        const button = page.getByRole('button', { name, exact: true });
        await button.waitFor();
        expect(await button.getAttribute('aria-disabled')).toBe('true');
        expect(await button.getAttribute('title')).toContain('viewer');
      }
    });
  });
});
