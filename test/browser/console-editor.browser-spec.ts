import type { JsonObject } from '@app/kernel';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

describeInBrowser('the editor of definitions', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const open = async (path: string, options: Parameters<ConsoleScene['newContext']>[0] = {}) => {
    const context = await scene.signedIn(scene.stack.adminKey, options);
    return scene.open(context, `/console${path}`);
  };
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Definition' });

  it('searches texts that are not rendered', async () => {
    const { page, errors } = await open('/agents/new');
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

  it('completes names of the workspace, and members and functions inside of expressions', async () => {
    const { client } = scene.stack;
    await client.expect('POST', '/v1/groups', { name: 'finance', members: [] });
    await client.expect('PUT', '/v1/secrets/SHOP_TOKEN', { value: 'secret' });
    const { page, errors } = await open('/agents/new');
    /** Opens the list until it has the option, because the names may not be loaded yet. */
    const option = async (name: RegExp) => {
      const found = page.getByRole('option', { name }).first();
      await eventually(async () => {
        await page.keyboard.press('Control+Space');
        await found.waitFor({ timeout: 2_000 });
      });
      return found;
    };
    const type = async (text: string): Promise<void> => {
      await editor(page).fill(text.slice(0, -1));
      await editor(page).press('Control+End');
      await page.keyboard.type(text.slice(-1));
    };
    await type('name: x\napprovals:\n  large:\n    approvers: [f');
    await option(/^finance/);
    await type('name: x\ntools:\n  - name: shop\n    auth:\n      token: ');
    await (await option(/^secrets\.SHOP_TOKEN/)).click();
    await editor(page).getByText('"${{ secrets.SHOP_TOKEN }}"').waitFor();
    const plan = 'name: x\ninput: { type: object, properties: { order: { type: string } } }\nsteps:\n  - id: first\n';
    await type(`${plan}    if: input.`);
    await (await option(/^order/)).click();
    await editor(page).getByText('if: input.order').waitFor();
    await type(`${plan}    let: { a: "\${{ math.`);
    await option(/^ceil/);
    await type(`${plan}    let: { a: 1 }\n  - let: { b: "\${{ steps.`);
    await option(/^first/);
    expect(errors).toEqual([]);
  });

  it('corrects a wrong name at its place, from the list of problems', async () => {
    const { page, errors } = await open('/agents/new');
    const plan = 'name: x\ninput: { type: object, properties: { order: { type: string } } }\nsteps:\n';
    await editor(page).fill(`${plan}  - { id: a, output: "\${{ input.ordr }}" }`);
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByRole('button', { name: 'Change to order' }).click();
    await editor(page).getByText('"${{ input.order }}"').waitFor();
    await problems.getByText('None.').waitFor();
    expect(errors).toEqual([]);
  });

  it('keeps the plan of the last valid text during a slip', async () => {
    const { page, errors } = await open('/agents/new');
    await editor(page).fill('name: x\nsteps:\n  - { id: first_step, output: 1 }');
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('first_step').waitFor();
    await editor(page).fill('name: x\nsteps:\n  - { id: first_step, output: 1');
    await plan.getByText('This is the plan of the last valid text.').waitFor();
    expect(await plan.getByText('first_step').count()).toBe(1);
    await editor(page).fill('name: x\nsteps:\n  - { id: second_step, output: 1 }');
    await plan.getByText('second_step').waitFor();
    expect(await plan.getByText('last valid text').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  describe('of an agent that has run', () => {
    const plan = (note: string): JsonObject => ({
      name: 'recorded',
      description: `Remembers.${note}`,
      input: { type: 'object', required: ['name'], properties: { name: { type: 'string', title: 'Name' } } },
      steps: [{ id: 'memory', tool: 'state.get', with: { key: '${{ input.name }}' } }],
    });
    let agent: string;

    beforeAll(async () => {
      agent = await scene.stack.client.createAgent(plan(''));
      const { id } = await scene.stack.client.startRun(agent, { name: 'Ada' });
      await scene.runReaches(id, 'succeeded');
    });

    it('shows what the latest run recorded for the step at the cursor, and takes its input', async () => {
      const { page, errors } = await open(`/agents/${agent}/edit`);
      const values = page.getByRole('region', { name: 'Values of a run' });
      await values.getByRole('region', { name: 'Input' }).getByText('Ada').waitFor();
      await editor(page).getByText('state.get').click();
      await values.getByRole('region', { name: 'Request' }).getByText('"key": "Ada"').waitFor();
      await values.getByRole('region', { name: 'Response' }).getByText('"value": null').waitFor();
      await values.getByRole('button', { name: 'Use as test input' }).click();
      await eventually(async () => expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada'));
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(errors).toEqual([]);
    });

    it('says that another person has saved a version, and shows the changes on request', async () => {
      const { page } = await open(`/agents/${agent}/edit`);
      await editor(page).getByText('Remembers.').waitFor();
      await scene.stack.client.expect('POST', `/v1/agents/${agent}/versions`, plan(' Better.'));
      await page.getByText('Version 2 was saved while you edit version 1.').waitFor();
      await page.getByRole('button', { name: 'Show the changes' }).click();
      const conflict = page.getByRole('region', { name: 'A newer version was saved' });
      await conflict.getByText('Better.').waitFor();
    });
  });
});
