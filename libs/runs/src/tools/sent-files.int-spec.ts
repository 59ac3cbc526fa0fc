import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileValue, fileValueOf, RunFilesService } from '@app/files';
import type { JsonObject } from '@app/kernel';
import { partsOf } from '../../../../test/support/form-parts.js';
import { MailServer } from '../../../../test/support/mail-server.js';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCall } from '../calls/tool-call.js';

const MIB = 1024 * 1024;
const FILE_RUN = { runId: 'run_1', agentId: 'agt_1', parentRunId: null };
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Seen {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

describe('a stored file in a call', () => {
  const seen: Seen[] = [];
  const bytes = randomBytes(3 * MIB + 7);
  let folder: string;
  let server: Server;
  let mails: MailServer;
  let bench: ToolBench;
  let tools: JsonObject[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-sent-'));
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({ headers: request.headers, body: Buffer.concat(chunks) });
        response.end('null');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    mails = await MailServer.start();
    bench = await ToolBench.start({
      DATA_DIR: folder,
      EGRESS_ALLOW: '127.0.0.0/8',
      SMTP_RELAY_URL: mails.url,
      MAIL_FROM: 'agents@acme.example',
      SMTP_MAX_MESSAGE_BYTES: String(4 * MIB),
    });
    const { port } = server.address() as AddressInfo;
    const post = (name: string, body: string) =>
      ({
        name,
        method: 'POST',
        path: '/',
        body,
        content: '${{ request.content }}',
        effect: 'idempotent',
      }) as JsonObject;
    tools = [
      {
        name: 'shop',
        type: 'http',
        base_url: `http://127.0.0.1:${port}`,
        operations: [post('put', 'binary'), post('form', 'multipart')],
      },
      { name: 'mail', type: 'email', to: ['ops@example.com'] },
    ];
  });
  beforeEach(() => {
    seen.length = 0;
    mails.reset();
  });
  afterAll(async () => {
    await bench.close();
    await mails.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const store = async (run = 'run_1'): Promise<FileValue> => {
    const content = (async function* () {
      for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
    })();
    const file = await bench.app.get(RunFilesService, { strict: false }).store(bench.ada.workspaceId, {
      source: { type: 'tool', run },
      filename: 'scan.bin',
      declaredContentType: undefined,
      stream: content,
    });
    return fileValueOf(file);
  };
  const call = (operation: string, request: JsonObject, more: Partial<ToolCall> = {}) =>
    bench.call(tools, operation, request, { fileRun: FILE_RUN, timeoutMs: 60_000, ...more });

  it('is the body, with its length, under the name and type that the step gives it', async () => {
    const file = await store();
    expect(await call('shop.put', { content: { file: file.file } })).toMatchObject({ kind: 'answered' });
    expect(await call('shop.put', { content: { ...file, content_type: 'image/tiff' } })).toMatchObject({
      kind: 'answered',
    });
    expect(seen.map(({ headers }) => headers['content-type'])).toEqual(['application/octet-stream', 'image/tiff']);
    for (const { headers, body } of seen) {
      expect([headers['content-length'], headers['transfer-encoding']]).toEqual([String(bytes.length), undefined]);
      expect(hashOf(body)).toBe(file.sha256);
    }
  });

  it('is a part of a form, whose bytes are equal in all attempts of a call', async () => {
    const file = await store();
    const files: JsonObject[] = [
      { ...file, filename: '../a"b.pdf' },
      { text: 'x', filename: 'x.txt' },
    ];
    const content = { title: 'Grüße', files };
    await call('shop.form', { content });
    await call('shop.form', { content });
    await call('shop.form', { content }, { idempotencyKey: 'run_1/t' });
    const [first, second, other] = seen;
    expect(first?.headers['content-length']).toBe(String(first?.body.length));
    expect(second?.body.equals(first!.body)).toBe(true);
    expect(other?.headers['content-type']).not.toBe(first?.headers['content-type']);
    const [title, sent, text] = await partsOf(first!.headers, first!.body);
    expect(title).toEqual(['title', 'Grüße']);
    expect(sent?.slice(0, 3)).toEqual(['files', 'a%22b.pdf', 'application/octet-stream']);
    expect(hashOf(sent?.[3] as Buffer)).toBe(file.sha256);
    expect(text).toEqual(['files', 'x.txt', 'text/plain', Buffer.from('x')]);
  });

  it('is an attachment, read while the mail is sent, up to the limit of a mail', async () => {
    const file = await store();
    const mail = { subject: 'Scan', text: 'Attached.', attachments: [{ ...file, filename: 'Übersicht.pdf' }] };
    expect(await call('mail.send', mail)).toMatchObject({ kind: 'answered' });
    const raw = mails.mails[0]?.raw ?? '';
    const start = raw.indexOf('\r\n\r\n', raw.indexOf('filename'));
    const encoded = raw.slice(start, raw.indexOf('\r\n--', start));
    expect(hashOf(Buffer.from(encoded, 'base64'))).toBe(file.sha256);
    const twice = { ...mail, attachments: [file, file] };
    expect(await call('mail.send', twice)).toMatchObject({ kind: 'refused', code: 'tool_error' });
    expect(mails.messages).toBe(1);
  });

  it('of another run, or without its bytes, is missing, and nothing is sent', async () => {
    const foreign = await store('run_2');
    const lost = await store();
    await rm(join(folder, 'files', lost.file));
    const fine = await store();
    for (const file of [foreign, lost, { ...fine, file: `file_${'0'.repeat(26)}` }]) {
      expect(await call('shop.put', { content: file })).toMatchObject({ kind: 'refused', code: 'file_missing' });
      const form = { content: { files: [fine, file] } };
      expect(await call('shop.form', form)).toMatchObject({ kind: 'refused', code: 'file_missing' });
      const mail = { subject: 'x', text: 'x', attachments: [file] };
      expect(await call('mail.send', mail)).toMatchObject({ kind: 'refused', code: 'file_missing' });
    }
    expect(await call('shop.put', { content: fine }, { fileRun: undefined })).toMatchObject({ code: 'file_missing' });
    expect([seen.length, mails.messages]).toEqual([0, 0]);
  });

  it('is not sent while the storage does not answer, which does not occupy the worker', async () => {
    const file = await store();
    const path = join(folder, 'files', file.file);
    await rename(path, `${path}.away`);
    await symlink(path, path);
    const away = { kind: 'refused', code: 'tool_error', awaitsStorage: true };
    expect(await call('shop.put', { content: file })).toMatchObject(away);
    expect(await call('shop.form', { content: { files: [file] } })).toMatchObject(away);
    expect(await call('mail.send', { subject: 'x', text: 'x', attachments: [file] })).toMatchObject(away);
    expect([seen.length, mails.messages]).toEqual([0, 0]);
    await rename(`${path}.away`, path);
    expect(await call('shop.put', { content: file })).toMatchObject({ kind: 'answered' });
  });

  it('is not sent if the call is stopped before', async () => {
    const file = await store();
    expect(await call('shop.put', { content: file }, { mayStart: () => false })).toEqual({ kind: 'not_started' });
    expect(seen).toEqual([]);
  });
});
