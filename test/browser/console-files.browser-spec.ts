import type { BrowserContext, Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { aPdf } from '../support/site-server.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const PDF = aPdf('Invoice 4711', 'Total 180 EUR').body as Buffer;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const READER = {
  name: 'invoice-reader',
  input: {
    type: 'object',
    required: ['invoice'],
    properties: {
      invoice: { title: 'Invoice', file: { accept: ['application/pdf', 'image/*'], max: '2MiB' } },
      notes: { title: 'Notes', type: 'array', items: { file: { accept: ['text/plain'] } } },
    },
  },
  steps: [
    { id: 'read', tool: 'files.text', with: { file: '${{ input.invoice }}' } },
    {
      id: 'report',
      tool: 'files.create',
      with: { text: 'Read: ${{ steps.read.output.text }}', filename: 'report.txt' },
    },
    { id: 'result', output: { report: '${{ steps.report.output }}', notes: '${{ input.?notes.orValue([]) }}' } },
  ],
};

interface TestFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

const invoice = (name = 'invoice.pdf', buffer: Buffer = PDF): TestFile => ({
  name,
  mimeType: 'application/pdf',
  buffer,
});

describeInBrowser('files in the console', () => {
  let scene: ConsoleScene;
  let agent: string;
  let context: BrowserContext;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    agent = await scene.stack.client.createAgent(READER);
  });
  beforeEach(async () => {
    context = await scene.signedIn(scene.stack.adminKey);
  });
  afterEach(() => context.close());
  afterAll(() => scene.stop());

  const openForm = () => scene.open(context, `/console/agents/${agent}`);
  const field = (page: Page, name = 'Invoice') => page.getByRole('group', { name, exact: true });
  const start = (page: Page) => page.getByRole('button', { name: 'Start run', exact: true });
  const storedFiles = async (): Promise<unknown[]> =>
    (await scene.stack.client.expect<{ data: unknown[] }>('GET', '/v1/files')).data;

  it('are dropped on the start form, read by the agent, and what it made is downloaded', async () => {
    const { page, errors } = await openForm();
    await field(page).getByText('PDF, images. At most 2.0 MiB.').waitFor();
    await drop(field(page).getByText('or drop a file here'), invoice());
    await field(page).getByRole('listitem').getByText('invoice.pdf').waitFor();
    await field(page).getByRole('status').getByText('invoice.pdf is uploaded.').waitFor({ state: 'attached' });
    expect(await accessibilityFindings(page)).toEqual([]);
    await start(page).click();
    await page.waitForURL(/\/runs\/run_\w+$/);
    const run = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await scene.runReaches(run, 'succeeded');
    const { input, output } = await scene.stack.client.run(run);
    expect(input).toEqual({ invoice: expect.objectContaining({ filename: 'invoice.pdf', bytes: PDF.length }) });
    expect(output).toMatchObject({ report: { filename: 'report.txt', content_type: 'text/plain' } });
    expect(errors).toEqual([]);
  });

  it('are uploaded with a progress that a person can cancel, and then leave nothing', async () => {
    const before = await storedFiles();
    const { page } = await openForm();
    const network = await context.newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await choose(field(page), invoice('large.pdf', Buffer.alloc(1_500_000, 'x')));
    const progress = field(page).getByRole('progressbar', { name: 'Upload of large.pdf' });
    await eventually(async () => {
      const share = await progress.evaluate((bar: { value: number }) => bar.value);
      expect(share > 0 && share < 1).toBe(true);
    });
    await page.getByRole('button', { name: 'Start run', description: 'A file is being uploaded.' }).waitFor();
    await field(page).getByRole('button', { name: 'Cancel upload' }).click();
    await progress.waitFor({ state: 'detached' });
    expect(await focusedName(page)).toBe('Choose file for Invoice');
    expect(await field(page).getByRole('alert').innerText()).toBe('');
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await choose(field(page), invoice('second.pdf'));
    await field(page).getByRole('listitem').getByText('second.pdf').waitFor();
    expect(await storedFiles()).toHaveLength(before.length + 1);
  });

  it('that do not fit the field say so in place, and are not kept', async () => {
    const before = await storedFiles();
    const { page } = await openForm();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/v1/files')) sent.push(request.url());
    });
    const alert = field(page).getByRole('alert');
    await choose(field(page), invoice('huge.pdf', Buffer.alloc(2_100_000)));
    await alert.getByText('huge.pdf has 2.0 MiB. Choose a file of at most 2.0 MiB.').waitFor();
    await drop(field(page).getByText('or drop'), invoice('a.pdf'), invoice('b.pdf'));
    await alert.getByText('Choose one file.').waitFor();
    expect(sent).toEqual([]);
    const html = { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<!doctype html><html></html>') };
    await choose(field(page), html);
    await alert.getByText('page.html is text/html. Choose one of these types: PDF, images.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await storedFiles()).toHaveLength(before.length);
    await start(page).click();
    await page.getByRole('alert').getByText('Correct the marked values').waitFor();
  });

  it('are chosen for a list with the keyboard, one after the other, and removed again', async () => {
    const { page } = await openForm();
    const notes = field(page, 'Notes');
    const chooser = page.waitForEvent('filechooser');
    await notes.getByRole('button', { name: 'Choose files for Notes' }).focus();
    await page.keyboard.press('Enter');
    const note = (name: string): TestFile => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    await (await chooser).setFiles([note('a.txt'), note('b.txt'), note('c.txt')]);
    await notes.getByRole('listitem').getByText('c.txt').waitFor();
    await notes.getByRole('button', { name: 'Remove b.txt' }).click();
    expect(await focusedName(page)).toBe('Add files for Notes');
    await choose(field(page), invoice());
    await field(page).getByRole('listitem').getByText('invoice.pdf').waitFor();
    await start(page).click();
    await page.waitForURL(/\/runs\/run_\w+$/);
    const { input } = await scene.stack.client.run(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    expect(input).toMatchObject({ notes: [{ filename: 'a.txt' }, { filename: 'c.txt' }] });
  });

  it('are chosen on a phone', async () => {
    const phone = await scene.signedIn(scene.stack.adminKey, PHONE);
    const { page } = await scene.open(phone, `/console/agents/${agent}`);
    await choose(field(page), invoice(`${'long-name-'.repeat(20)}.pdf`));
    await field(page).getByRole('listitem').waitFor();
    const box = await field(page)
      .getByRole('button', { name: /^Choose another file/ })
      .boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await accessibilityFindings(page)).toEqual([]);
    await phone.close();
  });
});

/** Chooses files in the dialog of a field. */
function choose(field: Locator, ...files: TestFile[]): Promise<void> {
  return field.locator('input[type=file]').setInputFiles(files);
}

/** Drops files on an element, as a person would from another window. */
async function drop(target: Locator, ...files: TestFile[]): Promise<void> {
  const given = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString('base64') }));
  const dataTransfer = await target.page().evaluateHandle((all) => {
    const transfer = new (Reflect.get(globalThis, 'DataTransfer') as new () => { items: { add(file: File): void } })();
    for (const { name, mimeType, base64 } of all) {
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type: mimeType }));
    }
    return transfer;
  }, given);
  await target.dispatchEvent('dragover', { dataTransfer });
  await target.dispatchEvent('drop', { dataTransfer });
}

function focusedName(page: Page): Promise<string | null> {
  return page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
}
