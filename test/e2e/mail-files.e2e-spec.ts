import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isId, type JsonObject } from '@app/kernel';
import { ClamdServer } from '../support/clamd-server.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { aMailAgent } from '../support/mail/mail-agents.js';
import { Conversation, MailSender } from '../support/mail/mail-sender.js';
import { type LoneScene, Scene } from '../support/scene.js';
import { aPdf } from '../support/site-server.js';

const DATA_DIR = join(tmpdir(), `aas-mail-files-${randomBytes(6).toString('hex')}`);
const MIB = 1024 * 1024;
const MAX_FILE = 7 * MIB;
const QUOTA = 40 * MIB;
const FILES = { files: '${{ email.attachments }}' };
const FILE_ID = expect.stringMatching(/^file_/);

interface MailRun {
  id: string;
  input: JsonObject;
}

describe('attachments of mails', () => {
  let scene: LoneScene;
  let clamd: ClamdServer;
  let sender: MailSender;
  let port: number;
  let mailboxes = 0;

  beforeAll(async () => {
    clamd = await ClamdServer.start(20 * MIB);
    port = await freePort();
    sender = new MailSender(port);
    scene = await Scene.alone({
      why: 'needs settings of the SMTP listener, of files and of the scanner',
      workers: 1,
      env: {
        DATA_DIR,
        FILE_SCAN: clamd.address,
        MAX_FILE_BYTES: String(MAX_FILE),
        WORKSPACE_FILE_BYTES: String(QUOTA),
        SMTP_LISTEN_PORT: String(port),
        SMTP_MAX_MESSAGE_BYTES: String(12 * MIB),
      },
    });
  });
  afterAll(async () => {
    await scene.stop();
    await clamd.close();
    await rm(DATA_DIR, { recursive: true, force: true });
  });

  const client = () => scene.stack.client;
  const newMailbox = () => `mailbox-${++mailboxes}@example.com`;
  const anAgent = (mailbox: string, trigger: JsonObject = {}, more: JsonObject = {}) =>
    client().createAgent(aMailAgent(mailbox, { map: FILES, ...trigger }, more));
  const send = (to: string, attachments: { filename: string; content: Buffer | string; contentType?: string }[]) =>
    sender.send({ from: 'ann@example.com', to, subject: 'x', text: 'hi', attachments });
  const runsOf = async (agent: string): Promise<MailRun[]> =>
    (await client().expect<{ data: MailRun[] }>('GET', `/v1/runs?agent=${agent}&order=asc`)).data;
  const filesOf = async (agent: string): Promise<JsonObject[]> => {
    const [run] = await runsOf(agent);
    return (run?.input.files ?? []) as JsonObject[];
  };
  const outcomesOf = async (agent: string) => {
    const path = `/v1/agents/${agent}/trigger-events?order=asc`;
    return (await client().expect<{ data: { outcome: string }[] }>('GET', path)).data.map(({ outcome }) => outcome);
  };
  const ready = async () =>
    (await scene.stack.query<{ id: string }>(`select id from files where status = 'ready' order by id`)).map(
      ({ id }) => id,
    );
  const stored = async () => (await readdir(join(DATA_DIR, 'files'))).filter((name) => isId('file', name)).sort();

  afterEach(async () => expect(await stored()).toEqual(await ready()));

  it('are files of the run, and a PDF in a mail of 8 MB has its text', async () => {
    const to = newMailbox();
    const agent = await anAgent(
      to,
      {},
      {
        steps: [
          { id: 'text', tool: 'files.text', with: { file: '${{ input.files[0] }}' } },
          { id: 'result', output: { text: '${{ steps.text.output.text }}' } },
        ],
      },
    );
    const pdf = padded(aPdf('Invoice 4711').body as Buffer, 6_000_000);
    const sent = await send(to, [
      { filename: '../invoice.bin', content: pdf, contentType: 'application/octet-stream' },
      { filename: 'note.txt', content: 'short' },
    ]);
    expect(sent).toMatchObject({ code: 250 });
    const [large, small] = await filesOf(agent);
    expect(large).toMatchObject({
      file: FILE_ID,
      status: 'ready',
      name: 'invoice.bin',
      content_type: 'application/octet-stream',
      detected_content_type: 'application/pdf',
      size: pdf.length,
      encoding: null,
      content: null,
    });
    expect(small).toMatchObject({ file: FILE_ID, status: 'ready', encoding: 'text', content: 'short' });
    const row = await client().expect<JsonObject>('GET', `/v1/files/${large?.file as string}`);
    expect(row).toMatchObject({
      source: { type: 'email' },
      bytes: pdf.length,
      sha256: large?.sha256,
      created_by: null,
    });
    const [run] = await runsOf(agent);
    await eventually(async () =>
      expect(await client().run(run?.id ?? '')).toMatchObject({
        status: 'succeeded',
        output: { text: expect.stringContaining('Invoice 4711') },
      }),
    );
  });

  it('of two agents that share a mailbox are different files', async () => {
    const to = newMailbox();
    const agents = [await anAgent(to), await anAgent(to)];
    expect(await send(to, [{ filename: 'a.txt', content: 'x' }])).toMatchObject({ code: 250 });
    const [one, other] = await Promise.all(agents.map(filesOf));
    expect(one).toMatchObject([{ file: FILE_ID }]);
    expect(other).toMatchObject([{ file: FILE_ID }]);
    expect(one?.[0]?.file).not.toBe(other?.[0]?.file);
  });

  it('are known to the filter, and deleted at once if no run starts', async () => {
    const to = newMailbox();
    const filter = 'email.attachments.exists(a, a.detected_content_type == "application/pdf" && a.status == "ready")';
    const agent = await anAgent(to, { filter });
    const before = await ready();
    expect(await send(to, [{ filename: 'a.pdf', content: 'no pdf' }])).toMatchObject({ code: 250 });
    expect([await outcomesOf(agent), await ready()]).toEqual([['filtered'], before]);
    expect(await send(to, [{ filename: 'a.txt', content: aPdf('x').body }])).toMatchObject({ code: 250 });
    expect(await outcomesOf(agent)).toEqual(['filtered', 'started']);
  });

  it('of a repeated mail are deleted, and those of the run stay', async () => {
    const to = newMailbox();
    const agent = await anAgent(to);
    const mail = {
      from: 'ann@example.com',
      to,
      messageId: '<again@example.com>',
      attachments: [{ filename: 'a', content: 'x' }],
    };
    expect(await sender.send(mail)).toMatchObject({ code: 250 });
    const before = await ready();
    expect(await sender.send(mail)).toMatchObject({ code: 250 });
    expect([await outcomesOf(agent), await ready()]).toEqual([['started', 'duplicate'], before]);
  });

  it('that the scanner rejects or that are too large have no file, and the run starts', async () => {
    const to = newMailbox();
    const agent = await anAgent(to);
    const sent = await send(to, [
      { filename: 'virus.txt', content: 'EICAR' },
      { filename: 'large.bin', content: randomBytes(MAX_FILE + 1) },
      { filename: 'fine.txt', content: 'fine' },
    ]);
    expect(sent).toMatchObject({ code: 250 });
    const none = { file: null, detected_content_type: null, encoding: null, content: null };
    expect(await filesOf(agent)).toMatchObject([
      { name: 'virus.txt', status: 'refused', ...none },
      { name: 'large.bin', status: 'too_large', size: MAX_FILE + 1, ...none },
      { name: 'fine.txt', status: 'ready', content: 'fine' },
    ]);
  });

  it('fit an input schema of before, and have the members of their row below the keyword `file`', async () => {
    const old = ['name', 'content_type', 'size', 'sha256', 'inline', 'content_id', 'encoding', 'content'];
    const closed = { type: 'object', additionalProperties: false };
    const to = newMailbox();
    const agent = await anAgent(
      to,
      { map: { files: '${{ email.attachments }}', texts: '${{ email.attachments }}' } },
      {
        input: {
          type: 'object',
          properties: {
            files: {
              type: 'array',
              items: { ...closed, properties: Object.fromEntries(old.map((name) => [name, {}])) },
            },
            texts: { type: 'array', items: { file: { accept: ['text/plain'] } } },
          },
        },
      },
    );
    expect(await send(to, [{ filename: 'a.txt', content: 'x' }])).toMatchObject({ code: 250 });
    const [run] = await runsOf(agent);
    const [[kept], [value]] = [run?.input.files, run?.input.texts] as [JsonObject[], JsonObject[]];
    expect(Object.keys(kept ?? {}).sort()).toEqual([...old].sort());
    expect(value).toEqual({
      file: FILE_ID,
      filename: 'a.txt',
      content_type: 'text/plain',
      bytes: 1,
      sha256: kept?.sha256,
    });
    expect(await send(to, [{ filename: 'a.pdf', content: aPdf('x').body }])).toMatchObject({ code: 554 });
    expect(await outcomesOf(agent)).toEqual(['started', 'refused']);
  });

  it('that a text only names open nothing', async () => {
    const [theirs] = await ready();
    const to = newMailbox();
    const agent = await anAgent(
      to,
      { map: { doc: { file: '${{ email.subject }}' } } },
      { steps: [{ id: 'get', tool: 'files.get', with: { file: '${{ input.doc }}' } }] },
    );
    expect(await sender.send({ from: 'ann@example.com', to, subject: theirs ?? '', text: 'x' })).toMatchObject({
      code: 250,
    });
    const [run] = await runsOf(agent);
    await eventually(async () =>
      expect(await client().run(run?.id ?? '')).toMatchObject({ status: 'failed', error: { code: 'file_missing' } }),
    );
  });

  it('beyond the quota keep the mail with its sender, until there is room', async () => {
    const to = newMailbox();
    const agent = await anAgent(to);
    const mail = {
      from: 'ann@example.com',
      to,
      messageId: '<full@example.com>',
      attachments: [{ filename: 'a', content: randomBytes(2 * MIB) }],
    };
    await scene.stack.query('update file_usage set bytes = bytes + $1', [QUOTA]);
    const before = await ready();
    expect(await sender.send(mail)).toMatchObject({ code: 452 });
    expect([await outcomesOf(agent), await ready()]).toEqual([['rate_limited'], before]);
    await scene.stack.query('update file_usage set bytes = bytes - $1', [QUOTA]);
    expect(await sender.send(mail)).toMatchObject({ code: 250 });
    expect(await filesOf(agent)).toMatchObject([{ status: 'ready' }]);
  });

  it('of a mail of 60 MB are refused with it', async () => {
    const to = newMailbox();
    const agent = await anAgent(to);
    const talk = await Conversation.open(port);
    await talk.say('EHLO test');
    expect((await talk.say(`MAIL FROM:<ann@example.com> SIZE=${60 * MIB}`)).code).toBe(552);
    talk.close();
    const raw = Buffer.concat([Buffer.from('Subject: x\r\n\r\n'), Buffer.alloc(60 * MIB, 'text of a line\r\n')]);
    expect(await sender.sendRaw(raw, { to })).toMatchObject({ code: 552 });
    expect(await outcomesOf(agent)).toEqual(['refused']);
  });

  it('keep the mail with its sender while the scanner does not answer', async () => {
    const to = newMailbox();
    const agent = await anAgent(to);
    await clamd.close();
    const before = await ready();
    expect(await send(to, [{ filename: 'a.txt', content: 'x' }])).toMatchObject({ code: 451 });
    expect(await send(to, [])).toMatchObject({ code: 250 });
    clamd = await ClamdServer.start(20 * MIB, clamd.port);
    expect(await send(to, [{ filename: 'a.txt', content: 'x' }])).toMatchObject({ code: 250 });
    expect(await outcomesOf(agent)).toEqual(['started', 'started']);
    expect((await ready()).length).toBe(before.length + 1);
  });
});

/** Returns the PDF with a comment of this size behind its table of objects. */
function padded(pdf: Buffer, bytes: number): Buffer {
  const trailer = pdf.subarray(pdf.lastIndexOf('startxref'));
  return Buffer.concat([pdf, Buffer.from('\n%'), Buffer.alloc(bytes, 'x'), Buffer.from('\n'), trailer]);
}
