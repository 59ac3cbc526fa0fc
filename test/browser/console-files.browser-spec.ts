import { text } from 'node:stream/consumers';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aGroup, aPerson } from '../support/people.js';
import { aPdf } from '../support/site-server.js';
import { accessibilityFindings } from './support/accessibility.js';
import { ConsoleScene, describeInBrowser } from './support/console-scene.js';

const PDF = aPdf('Invoice 4711', 'Total 180 EUR').body as Buffer;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const READER: JsonObject = {
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

/** A contract goes to the archive after a person of the group `legal` has approved it. */
function aContractDesk(url: string): JsonObject {
  const contract = { title: 'Contract', file: { accept: ['application/pdf'] } };
  return {
    name: 'contract-desk',
    input: { type: 'object', properties: { contract, secret: {} } },
    redact: { paths: ['input.secret'] },
    tools: [
      {
        name: 'archive',
        type: 'http',
        base_url: url,
        operations: [
          {
            name: 'store',
            method: 'POST',
            path: '/contracts',
            body: 'multipart',
            request: { type: 'object', required: ['contract'], properties: { contract } },
          },
        ],
      },
    ],
    policies: [
      { name: 'signature', when: 'tool.name == "archive.store"', action: 'require_approval', approval: 'legal' },
    ],
    approvals: { legal: { approvers: ['legal'], timeout: '24h', on_timeout: 'fail' } },
    steps: [
      { id: 'store', tool: 'archive.store', with: { contract: '${{ input.contract }}' } },
      { id: 'result', output: { stored: true } },
    ],
  };
}

const QUESTION: JsonObject = {
  name: 'scan-desk',
  steps: [
    {
      id: 'scan',
      ask: {
        to: ['legal'],
        title: 'Which scan?',
        form: { type: 'object', required: ['scan'], properties: { scan: { title: 'Scan', file: { max: '1MiB' } } } },
        timeout: '24h',
      },
    },
    { id: 'result', output: { scan: '${{ steps.scan.output.scan }}' } },
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
  let contracts: string;
  let approver: ApiClient;
  let context: BrowserContext;

  beforeAll(async () => {
    scene = await ConsoleScene.start();
    const { stack, ledger } = scene.scene;
    agent = await stack.client.createAgent(READER);
    approver = await aPerson(stack, 'bob@example.com', { role: 'admin' });
    await aGroup(stack, 'legal', ['bob@example.com']);
    ledger.always('/contracts', { body: { ok: true } });
    contracts = await stack.client.createAgent(aContractDesk(ledger.url));
  });
  beforeEach(async () => {
    context = await scene.signedIn(scene.stack.adminKey);
  });
  afterEach(() => scene.closePages());
  afterAll(() => scene.stop());

  const openForm = () => scene.open(context, `/console/agents/${agent}`);
  const field = (page: Page, name = 'Invoice') => page.getByRole('group', { name, exact: true });
  const start = (page: Page) => page.getByRole('button', { name: 'Start run', exact: true });
  const upload = async (name: string, content: Buffer, type = 'application/pdf'): Promise<string> => {
    const { baseUrl, adminKey } = scene.stack;
    const answer = await fetch(`${baseUrl}/v1/files?filename=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': type },
      body: Uint8Array.from(content),
    });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  };
  const storedRun = (id: string) =>
    scene.stack.client.expect<{ input: JsonObject; output: JsonObject }>('GET', `/v1/runs/${id}`);
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
    const { input, output } = await storedRun(run);
    expect(input).toEqual({ invoice: expect.objectContaining({ filename: 'invoice.pdf', bytes: PDF.length }) });
    expect(output).toMatchObject({ report: { filename: 'report.txt', content_type: 'text/plain' } });
    expect(errors).toEqual([]);
  });

  it('of a run have one row each, with a preview as text, and a download', async () => {
    const file = await upload('invoice.pdf', PDF);
    const { id: run } = await scene.stack.client.startRun(agent, { invoice: { file }, notes: [] });
    await scene.runReaches(run, 'succeeded');
    const { page, errors } = await scene.open(context, `/console/runs/${run}`);
    const rows = page.getByRole('region', { name: 'Files', exact: true }).getByRole('listitem');
    const [given, made] = ['invoice.pdf', 'report.txt'].map((name) => rows.filter({ hasText: name }));
    await given!.getByText(`application/pdf · ${PDF.length} B · input.invoice`).waitFor();
    await given!.getByRole('button', { name: 'Preview invoice.pdf' }).click();
    const preview = page.getByRole('dialog', { name: 'invoice.pdf' });
    await preview.getByText('Total 180 EUR').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await downloadedText(page, made!.getByRole('button', { name: 'Download report.txt' }))).toContain(
      'Read: Invoice 4711',
    );
    await page.getByRole('treeitem', { name: /files\.create/ }).click();
    const ofStep = page.getByRole('region', { name: 'Files of the step' });
    await ofStep.getByRole('listitem').getByText('report.txt').waitFor();
    await ofStep.getByRole('button', { name: 'Preview report.txt' }).click();
    await page.getByRole('dialog').getByText('Read: Invoice 4711').waitFor();
    expect(errors).toEqual([]);
  });

  it('are shown as an image only if they are one, and never run', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="hacked"</script></svg>';
    const html = '<!doctype html><html><script>document.title="hacked"</script></html>';
    await upload('pixel.png', PIXEL);
    await upload('drawing.svg', Buffer.from(svg), 'image/svg+xml');
    await upload('page.html', Buffer.from(html), 'text/html');
    await upload('table.bin', Buffer.from([0, 1, 2]), 'application/octet-stream');
    const { page, errors } = await scene.open(context, '/console/settings/files');
    const preview = async (name: string): Promise<Locator> => {
      await page.getByRole('button', { name: `Preview ${name}` }).click();
      return page.getByRole('dialog', { name });
    };
    const image = (await preview('pixel.png')).getByRole('img', { name: 'pixel.png' });
    await eventually(async () => {
      expect(await image.evaluate((shown: { naturalWidth: number }) => shown.naturalWidth)).toBe(1);
    });
    await page.keyboard.press('Escape');
    for (const [name, content] of [
      ['drawing.svg', svg],
      ['page.html', html],
    ] as const) {
      const dialog = await preview(name);
      expect(await dialog.getByRole('region').innerText()).toBe(content);
      expect(await dialog.getByRole('img').count()).toBe(0);
      await page.keyboard.press('Escape');
    }
    const refused = { name: 'Preview table.bin', description: /octet-stream have no preview/ };
    await page.getByRole('button', refused).waitFor();
    expect(await page.title()).not.toContain('hacked');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('that are deleted or missing say so', async () => {
    const file = await upload('gone.pdf', PDF);
    const { id: run } = await scene.stack.client.startRun(agent, { invoice: { file } });
    await scene.runReaches(run, 'succeeded');
    await scene.stack.client.expect('DELETE', `/v1/files/${file}`);
    const { page } = await scene.open(context, `/console/runs/${run}`);
    const row = page.getByRole('listitem').filter({ hasText: 'gone.pdf' });
    await row.getByText('Deleted.').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    const lost = await upload('lost.pdf', PDF);
    // The stored bytes do not fit the row any more.
    await scene.stack.query('update files set bytes = bytes + 100000 where id = $1', [lost]);
    await page.goto('/console/settings/files');
    await page.getByRole('button', { name: 'Download lost.pdf' }).click();
    await page.getByRole('alert').getByText('The bytes of the file are missing').waitFor();
  });

  it('that a run redacts are shown to a person who asks, which the audit log records', async () => {
    const file = await upload('salaries.txt', Buffer.from('Ada: 100'), 'text/plain');
    const { id: run } = await scene.stack.client.startRun(contracts, { secret: { file } });
    await scene.runReaches(run, 'failed');
    const { page } = await scene.open(context, `/console/runs/${run}`);
    const row = page.getByRole('region', { name: 'Files', exact: true }).getByRole('listitem');
    await row.getByText('[redacted]').waitFor();
    await row.getByRole('button', { name: /^Download/, description: /Choose Reveal first/ }).waitFor();
    await row.getByRole('button', { name: 'Reveal' }).click();
    await row.getByText('salaries.txt').waitFor();
    await row.getByRole('button', { name: 'Preview salaries.txt' }).click();
    await page.getByRole('dialog').getByText('Ada: 100').waitFor();
    await page.keyboard.press('Escape');
    const download = row.getByRole('button', { name: 'Download salaries.txt' });
    expect(await downloadedText(page, download)).toBe('Ada: 100');
    const events = await scene.stack.client.expect<{ data: { target: string }[] }>(
      'GET',
      '/v1/audit-events?action=file.reveal',
    );
    expect(events.data.map(({ target }) => target)).toContain(file);
  });

  describe('of approvals', () => {
    const asApprover = (options: Parameters<ConsoleScene['signedIn']>[1] = {}) => scene.signedIn(approver.key, options);
    const openApproval = async (run: string): Promise<string> => {
      await scene.runReaches(run, 'waiting_approval');
      const { data } = await approver.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${run}/approvals`);
      return `/console/approvals/${data[0]?.id ?? ''}`;
    };

    it('are read before the decision, and replaced in the request', async () => {
      const file = await upload('draft.pdf', PDF);
      const { id: run } = await scene.stack.client.startRun(contracts, { contract: { file } });
      const approving = await asApprover();
      const { page, errors } = await scene.open(approving, await openApproval(run));
      const request = page.getByRole('region', { name: 'Request' });
      await request.getByRole('button', { name: 'Preview draft.pdf' }).click();
      await page.getByRole('dialog', { name: 'draft.pdf' }).getByText('Total 180 EUR').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Edit request' }).click();
      await choose(field(page, 'Contract'), invoice('signed.pdf', aPdf('Signed').body as Buffer));
      await field(page, 'Contract').getByRole('listitem').getByText('signed.pdf').waitFor();
      await page.getByRole('region', { name: 'Your changes' }).getByText('signed.pdf (').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Approve edited request' }).click();
      await scene.runReaches(run, 'succeeded');
      const changed = page.getByRole('region', { name: 'Changed by bob@example.com' });
      expect(await changed.locator('ins').innerText()).toMatch(/^signed\.pdf \(\d+ B\)$/);
      const { data } = await approver.expect<{ data: { request: object }[] }>('GET', `/v1/runs/${run}/approvals`);
      expect(data[0]?.request).toMatchObject({ contract: { filename: 'signed.pdf', content_type: 'application/pdf' } });
      expect(errors).toEqual([]);
    });

    it('answer a question, on a phone too', async () => {
      const id = await scene.stack.client.createAgent(QUESTION);
      const { id: run } = await scene.stack.client.startRun(id, {});
      const approving = await asApprover(PHONE);
      const { page } = await scene.open(approving, await openApproval(run));
      await choose(field(page, 'Scan'), invoice('scan.pdf'));
      await field(page, 'Scan').getByRole('listitem').getByText('scan.pdf').waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Answer' }).tap();
      await scene.runReaches(run, 'succeeded');
      expect((await scene.stack.client.run(run)).output).toMatchObject({ scan: { filename: 'scan.pdf' } });
      await page.getByRole('button', { name: 'Preview scan.pdf' }).waitFor();
    });
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
    const { input } = await storedRun(new URL(page.url()).pathname.split('/').at(-1) ?? '');
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

/** Presses a button that downloads a text, and returns the text. */
async function downloadedText(page: Page, button: Locator): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return text(await download.createReadStream());
}

function focusedName(page: Page): Promise<string | null> {
  return page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
}
