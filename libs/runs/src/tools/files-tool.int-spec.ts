import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLinksService } from '@app/files';
import { type JsonObject, newId } from '@app/kernel';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';

const RUN = newId('run');
const FILE_RUN = { runId: RUN, agentId: 'agt_1', parentRunId: null };
const ORIGIN = { runId: RUN, step: 's', epoch: '1', attempt: 1 };

describe('the tool files', () => {
  const seen: string[] = [];
  let folder: string;
  let server: Server;
  let bench: ToolBench;
  let shop: JsonObject;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-files-tool-'));
    server = createServer((request, response) => {
      seen.push(request.url ?? '');
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ echo: request.url }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const operations = [{ name: 'tell', method: 'GET', path: '/' }];
    shop = { name: 'shop', type: 'http', base_url: `http://127.0.0.1:${port}`, operations };
    bench = await ToolBench.start({
      DATA_DIR: folder,
      EGRESS_ALLOW: '127.0.0.0/8',
      MAX_RECORDED_BYTES: '65536',
      PUBLIC_URL: 'https://agents.example.com',
    });
  });
  afterAll(async () => {
    await bench.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const call = (operation: string, request: JsonObject, more: Partial<ToolCall> = {}): Promise<ToolCallResult> =>
    bench.call([shop], operation, request, { fileRun: FILE_RUN, origin: ORIGIN, ...more });
  const output = async (operation: string, request: JsonObject, more: Partial<ToolCall> = {}): Promise<JsonObject> => {
    const result = await call(operation, request, more);
    expect(result).toMatchObject({ kind: 'answered' });
    return result.kind === 'answered' ? (result.output as JsonObject) : {};
  };
  let calls = 0;
  const create = (request: JsonObject) => output('files.create', request, { idempotencyKey: `${RUN}/${calls++}` });

  it('creates one file for a call, however often it is made', async () => {
    const request = { text: 'Grüße', filename: '../note.md' };
    const [first, second] = await Promise.all([output('files.create', request), output('files.create', request)]);
    expect(first).toEqual(second);
    expect(first).toMatchObject({ filename: 'note.md', content_type: 'text/markdown', bytes: 7 });
    expect(await create(request)).not.toEqual(first);
    expect(await create({ json: [1], filename: 'a' })).toMatchObject({ content_type: 'application/json', bytes: 3 });
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
    expect(await create({ base64: png, filename: 'a.txt' })).toMatchObject({ content_type: 'image/png', bytes: 16 });
    const broken = { base64: '*', filename: 'a' };
    expect(await call('files.create', broken, { idempotencyKey: 'x' })).toMatchObject({ code: 'tool_error' });
  });

  it('reads the text, the facts and the bytes of a file', async () => {
    const file = await create({ text: 'one two', filename: 'a.txt' });
    expect(await output('files.text', { file })).toEqual({ text: 'one two', pages: null, truncated: false });
    expect(await output('files.text', { file: file.file!, max_chars: 3 })).toMatchObject({
      text: 'one',
      truncated: true,
    });
    expect(await output('files.get', { file })).toEqual({
      ...file,
      declared_content_type: null,
      source: { type: 'run', run: RUN, step: 's' },
    });
    expect(await output('files.base64', { file })).toEqual({
      base64: btoa('one two'),
      filename: 'a.txt',
      content_type: 'text/plain',
      bytes: 7,
    });
    const large = await create({ text: 'x'.repeat(50_000), filename: 'a.txt' });
    expect(await call('files.base64', { file: large })).toMatchObject({ kind: 'refused', code: 'file_too_large' });
    const image = await create({ base64: btoa('\x00\x01'), filename: 'a.txt' });
    expect(await call('files.text', { file: image })).toMatchObject({ code: 'tool_error', permanent: true });
    expect(await call('files.text', { file, pages: '0' })).toMatchObject({ code: 'tool_error', permanent: true });
    const others = { fileRun: { ...FILE_RUN, runId: newId('run') } };
    expect(await call('files.get', { file }, others)).toMatchObject({ code: 'file_missing' });
  });

  it('records a link without its token, which only the requests of tools contain', async () => {
    const file = await create({ text: 'x', filename: 'a.txt' });
    const [link, again] = [await output('files.link', { file }), await output('files.link', { file })];
    const url = link.url as string;
    expect(url).toBe(again.url);
    expect(url).toMatch(/^https:\/\/agents\.example\.com\/files\/\[redacted\]/);
    const told = await output('shop.tell', { url });
    const sent = decodeURIComponent(seen.at(-1) ?? '');
    const [token = ''] = /[A-Za-z0-9_-]{43}$/.exec(sent) ?? [];
    expect(sent).toBe(`/?url=https://agents.example.com/files/${token}`);
    expect(JSON.stringify(told)).not.toContain(token);
    const links = bench.app.get(FileLinksService, { strict: false });
    expect(await links.open(token, true)).toMatchObject({ file: { id: file.file }, isOnce: false });
    await bench.newWorkspace();
    await call('shop.tell', { url });
    expect(seen.at(-1)).not.toContain(token);
  });

  it('creates no link in mode test, or for longer than a day', async () => {
    const file = await create({ text: 'x', filename: 'a.txt' });
    expect(await output('files.link', { file }, { mode: 'test' })).toEqual({
      url: 'https://agents.example.com/files/simulated',
      expires_at: expect.any(String),
      simulated: true,
    });
    for (const expires_in of ['25h', '30s'])
      expect(await call('files.link', { file, expires_in })).toMatchObject({ code: 'tool_error', permanent: true });
  });
});
