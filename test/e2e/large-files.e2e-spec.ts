import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { JsonObject } from '@app/kernel';
import { AgentAutomation } from '../../packages/sdk/src/index.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { MailSender } from '../support/mail/mail-sender.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { type Stack, startStack } from '../support/stack.js';

const MIB = 1024 * 1024;
/** About 100 MiB of it are the program itself and its heap, see the table of processes in docs/sizing.md. */
const MAX_MEGABYTES = 320;

type NodeStream = Parameters<typeof Readable.fromWeb>[0];

/** Sends each body back as it arrives. */
async function startEcho(): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    request.pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A mail of 93 MB for 65 MiB. */
function aMail(content: Buffer): Buffer {
  const type = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=large.bin';
  const header = `From: ann@example.com\r\n${type}\r\nContent-Transfer-Encoding: base64`;
  return Buffer.from(`${header}\r\n\r\n${content.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`);
}

/** Undefined on systems without /proc. */
function peakMegabytes(pid: number): number | undefined {
  if (!existsSync('/proc/self/status')) return undefined;
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

describe('a file of 90 MiB', () => {
  let database: TestDatabase;
  let stack: Stack;
  let echo: Server;
  let url: string;
  let smtp: number;
  let agents = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    echo = await startEcho();
    smtp = await freePort();
    url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
    stack = await startStack({
      databaseUrl: database.url,
      workers: 1,
      env: {
        EGRESS_ALLOW: '127.0.0.0/8',
        SMTP_LISTEN_PORT: String(smtp),
        SMTP_MAX_MESSAGE_BYTES: String(100 * MIB),
      },
      nodeArguments: () => ['--max-old-space-size=96'],
    });
  });
  afterAll(async () => {
    await stack.stop();
    echo.close();
    await database.drop();
  });

  const aConverter = (more: JsonObject): Promise<string> => {
    const convert = { name: 'convert', method: 'POST', path: '/', response: 'file', timeout: '5m' };
    const operation = { ...convert, body: 'binary', content: '${{ request.doc }}', request: { type: 'object' } };
    return stack.client.createAgent({
      name: `converter-${++agents}`,
      tools: [{ name: 'store', type: 'http', base_url: url, operations: [operation] }],
      steps: [
        { id: 'convert', tool: 'store.convert', with: { doc: '${{ input.doc }}' } },
        { id: 'result', output: '${{ steps.convert.output }}' },
      ],
      ...more,
    });
  };
  const converted = (run: string, expected: JsonObject) =>
    eventually(async () => {
      const { status, output } = await stack.client.run(run);
      expect({ status, output }).toMatchObject({ status: 'succeeded', output: expected });
    });

  it('passes through an api and a worker, in both directions', async () => {
    const aas = new AgentAutomation({ apiKey: stack.adminKey, baseUrl: stack.baseUrl });
    const part = randomBytes(MIB);
    const hash = createHash('sha256');
    let parts = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        hash.update(part);
        controller.enqueue(new Uint8Array(part));
        if (++parts === 90) controller.close();
      },
    });
    const seen: number[] = [];
    const file = await aas.files.upload(source, { filename: 'big.bin', onProgress: ({ sent }) => seen.push(sent) });
    expect([file.bytes, file.sha256, seen.at(-1)]).toEqual([90 * MIB, hash.digest('hex'), 90 * MIB]);
    const { body } = await aas.files.download(file.id);
    const received = createHash('sha256');
    if (body) for await (const chunk of Readable.fromWeb(body as NodeStream)) received.update(chunk as Buffer);
    expect(received.digest('hex')).toBe(file.sha256);

    const agent = await aConverter({ input: { type: 'object', properties: { doc: { file: {} } } } });
    const { id } = await stack.client.startRun(agent, { doc: { file: file.id } });
    await converted(id, { bytes: 90 * MIB, sha256: file.sha256 });
  });

  it('arrives in a mail', async () => {
    const content = randomBytes(65 * MIB);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const inbox = { id: 'inbox', type: 'email.received', mailbox: 'large@example.com' };
    const agent = await aConverter({ triggers: [{ ...inbox, map: { doc: '${{ email.attachments[0] }}' } }] });
    expect(await new MailSender(smtp).sendRaw(aMail(content), { to: inbox.mailbox })).toMatchObject({ code: 250 });
    const { data } = await stack.client.expect<{ data: { id: string }[] }>('GET', `/v1/runs?agent=${agent}`);
    await converted(data[0]?.id ?? '', { bytes: content.length, sha256 });
  });

  // A heap limit does not count buffers, so a process that held the file shows in its memory.
  afterEach(() => {
    for (const { pid } of [stack.api, ...stack.workers]) expect(peakMegabytes(pid) ?? 0).toBeLessThan(MAX_MEGABYTES);
  });
});
