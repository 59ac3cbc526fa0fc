import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isId, type JsonObject } from '@app/kernel';

import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { ImapServer } from '../../support/mail/imap-server.js';
import { aMailAgent } from '../../support/mail/mail-agents.js';
import { Conversation, MailSender, SELF_SIGNED } from '../../support/mail/mail-sender.js';
import { FaultScene, RECOVERY } from '../fault-scene.js';
import { preloading } from '../preloading.js';

const TO = 'desk@example.com';
const WATCHED = 'watched@example.com';
const STEPS = 'steps@example.com';
const map = { files: '${{ email.attachments }}' };

interface RunFile {
  id: string;
  file: string;
  status: string;
  sha256: string;
}

describe('attachments of mails while processes are killed', () => {
  let scene: FaultScene;
  let relay: MailSender;
  let imap: ImapServer;
  let port: number;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'aas-mail-files-'));
    imap = await ImapServer.start('desk', 'pass-word');
    port = await freePort();
    relay = new MailSender(port);
    scene = await FaultScene.start({
      env: preloading('hurry.mjs', {
        DATA_DIR: dataDir,
        SMTP_LISTEN_PORT: String(port),
        EGRESS_ALLOW: '127.0.0.1/32',
        NODE_EXTRA_CA_CERTS: SELF_SIGNED.SMTP_TLS_CERT,
      }),
    });
    const { client } = scene.stack;
    await client.createAgent(aMailAgent(TO, { map }));
    const secret = await fetch(`${scene.stack.baseUrl}/v1/secrets/IMAP_PASSWORD`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value: 'pass-word' }),
    });
    expect(secret.ok).toBe(true);
    await client.createAgent(aFilingAgent(scene.ledger.url));
    const account = { host: 'localhost', port: imap.port, user: 'desk', password: '${{ secrets.IMAP_PASSWORD }}' };
    await client.createAgent(aMailAgent(WATCHED, { imap: account, map }));
  });
  afterEach(() => scene.ledger.reset());
  afterAll(async () => {
    await scene.stop();
    await imap.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const folder = () => join(dataDir, 'files');
  const stored = async () => (await readdir(folder())).filter((name) => isId('file', name)).sort();
  const ready = async () =>
    (await scene.query<{ id: string }>(`select id from files where status = 'ready' order by id`)).map(({ id }) => id);
  const filesOfRuns = (message: string) =>
    scene.query<RunFile>(
      `select distinct r.id, f.id as file, f.status, f.sha256 from runs r left join file_references x on x.run_id = r.id left join files f on f.id = x.file_id
        where r.trigger ->> 'message_id' = $1`,
      [`<${message}@example.com>`],
    );
  const mailOf = (id: string, content: Buffer | string) => ({
    from: 'ann@example.com',
    to: TO,
    subject: id,
    messageId: `<${id}@example.com>`,
    attachments: [{ filename: 'a.txt', content }],
  });
  const expectedFile = (content: Buffer | string) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return expect.objectContaining({ status: 'ready', sha256 });
  };

  /** Makes all stored bytes a day old, and lets a worker sweep. Afterwards, exactly the files with a row have bytes. */
  async function sweep(): Promise<void> {
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of await stored()) await utimes(join(folder(), name), yesterday, yesterday);
    await scene.hourly(async () => expect(await stored()).toEqual(await ready()));
  }

  it.each([
    ['COMMIT', 'request'],
    ['COMMIT', 'answer'],
    ['run_machine_take_event', 'request'],
    ['run_machine_take_event', 'answer'],
  ] as const)('exist for one run if the api is killed at %s and its %s is lost', (statement, withhold) =>
    scene.scenario(async () => {
      const id = `${statement}-${withhold}`;
      const content = randomBytes(200_000);
      const trap = scene.network.trap({ statement, application: 'api', withhold });
      const first = relay.send(mailOf(id, content));
      await trap.sprung;
      await scene.stack.api.kill();
      expect(await first).toMatchObject({ code: 'lost' });
      trap.cut();
      await scene.stack.restartApi();
      expect(await relay.sendUntilTaken(mailOf(id, content))).toMatchObject({ code: 250 });
      expect(await filesOfRuns(id)).toEqual([expectedFile(content)]);
      await sweep();
      expect(await filesOfRuns(id)).toEqual([expectedFile(content)]);
    }),
  );

  it.each(['request', 'answer'] as const)(
    'of an IMAP mail exist for one run if the worker is killed and the %s of its transaction is lost',
    (withhold) =>
      scene.scenario(async () => {
        const id = `imap-${withhold}`;
        const content = randomBytes(200_000);
        const worker = await scene.aWorker();
        await eventually(() => expect(imap.idling).toBe(1), RECOVERY);
        const trap = scene.network.trap({ statement: 'run_machine_take_found', application: 'aas-worker', withhold });
        imap.append(rawMail(id, content));
        await trap.sprung;
        await worker.kill();
        trap.cut();
        await scene.stack.addWorker();
        await eventually(async () => expect(await filesOfRuns(id)).toEqual([expectedFile(content)]), RECOVERY);
        await sweep();
        expect(await filesOfRuns(id)).toEqual([expectedFile(content)]);
      }),
  );

  it('exist for no run if the api is killed while the mail arrives, and for one run if it is sent again', () =>
    scene.scenario(async () => {
      const before = await stored();
      const content = randomBytes(300_000);
      const raw = rawMail('arriving', content, TO);
      const talk = await Conversation.open(port);
      const commands = ['EHLO test', 'MAIL FROM:<ann@example.com>', `RCPT TO:<${TO}>`, 'DATA'];
      for (const line of commands) await talk.say(line);
      const reply = talk.send(Buffer.from(raw.slice(0, raw.length / 2)));
      await eventually(async () => expect(await stored()).toHaveLength(before.length + 1), RECOVERY);
      await scene.stack.api.kill();
      expect(await reply).toMatchObject({ code: 'lost' });
      await scene.stack.restartApi();
      expect(await filesOfRuns('arriving')).toEqual([]);
      await sweep();
      expect(await stored()).toEqual(before);
      expect(await relay.sendUntilTaken(mailOf('arriving', content))).toMatchObject({ code: 250 });
      expect(await filesOfRuns('arriving')).toEqual([expectedFile(content)]);
    }));

  it.each([
    ['reads it', 'read', 1, 'succeeded'],
    ['sends it by a call that may be repeated', 'idempotent', 2, 'succeeded'],
    ['sends it by a write that must not be repeated', 'write', 1, 'waiting_approval'],
  ] as const)('stay whole if the worker is killed in a step that %s', (_title, place, calls, status) =>
    scene.scenario(async () => {
      const content = randomBytes(100_000).toString('hex');
      const worker = await scene.aWorker();
      const read = { statement: 'run_machine_advance', application: 'aas-worker', withhold: 'answer' } as const;
      const trap = place === 'read' ? scene.network.trap(read) : undefined;
      scene.ledger.script(`/${place}`, { hang: place !== 'read' });
      expect(await relay.sendUntilTaken({ ...mailOf(place, content), to: STEPS })).toMatchObject({ code: 250 });
      await (trap?.sprung ?? scene.ledger.called(`/${place}`));
      await worker.kill();
      trap?.cut();
      await scene.stack.addWorker();
      const [file] = await filesOfRuns(place);
      expect(await scene.settled([file?.id ?? ''])).toEqual({ [status]: 1 });
      const sent = scene.ledger.callsOf(`/${place}`);
      expect(sent).toHaveLength(calls);
      // Comparing the texts would print them.
      expect(sent.every(({ body }) => body === sent[0]?.body && body.includes(content))).toBe(true);
      expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      await sweep();
      expect(await filesOfRuns(place)).toEqual([expectedFile(content)]);
    }),
  );
});

/** Its steps read the file of a mail and send it. The subject of the mail is the name of the operation. */
function aFilingAgent(url: string): JsonObject {
  const upload = { method: 'POST', body: 'multipart', content: { doc: '${{ request.doc }}' } };
  const operations = [
    { ...upload, name: 'read', path: '/read', scope: 'read' },
    { ...upload, name: 'idempotent', path: '/idempotent', effect: 'idempotent', idempotency: {} },
    { ...upload, name: 'write', path: '/write' },
  ];
  const doc = '${{ input.files[0] }}';
  const filed = operations.map(({ name }) => ({
    when: `input.subject == "${name}"`,
    steps: [{ id: `file_${name}`, tool: `archive.${name}`, with: { doc } }],
  }));
  return aMailAgent(
    STEPS,
    { map: { ...map, subject: '${{ email.subject }}' } },
    {
      files: 'reference',
      tools: [{ name: 'archive', type: 'http', base_url: url, operations }],
      steps: [
        { id: 'text', tool: 'files.text', with: { file: doc } },
        { id: 'file', switch: filed },
        { id: 'result', output: { characters: '${{ size(steps.text.output.text) }}' } },
      ],
    },
  );
}

function rawMail(id: string, content: Buffer, to = WATCHED): string {
  const lines = content.toString('base64').replace(/.{76}/g, '$&\n');
  const part = `Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n${lines}`;
  const head = `From: ann@example.com\nTo: ${to}\nSubject: ${id}\nMessage-ID: <${id}@example.com>\n`;
  return `${head}Content-Type: multipart/mixed; boundary=b\n\n--b\n${part}\n--b--\n`;
}
