import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type FileValue, RunFilesService } from '@app/files';
import { isId, type JsonObject, newId } from '@app/kernel';
import { ClamdServer } from '../../../../test/support/clamd-server.js';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCall } from '../calls/tool-call.js';
import { answerName } from './received-files.service.js';

const MIB = 1024 * 1024;
const RUN = newId('run');
const FILE_RUN = { runId: RUN, agentId: 'agt_1', parentRunId: null };

describe('a response that is stored as a file', () => {
  const bytes = randomBytes(3 * MIB);
  const bytes9 = randomBytes(9 * MIB);
  let folder: string;
  let server: Server;
  let bench: ToolBench;
  let url: string;
  let answer: (response: ServerResponse, path: string) => void;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-received-'));
    server = createServer((request, response) => answer(response, request.url ?? ''));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    bench = await ToolBench.start({ DATA_DIR: folder, EGRESS_ALLOW: '127.0.0.0/8', MAX_FILE_BYTES: String(10 * MIB) });
  });
  afterAll(async () => {
    await bench.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** `response: null` leaves the key out. */
  const call = ({ response = 'file', ...more }: JsonObject = {}, also: Partial<ToolCall> = {}) => {
    const kind = response !== null && { response };
    const get = { name: 'get', method: 'GET', path: '/reports/r%201.bin', ...kind, ...more };
    const tools = [{ name: 'shop', type: 'http', base_url: url, operations: [get] }];
    const origin = { runId: RUN, step: 'fetch', epoch: '1', attempt: 1 };
    return bench.call(tools, 'shop.get', {}, { fileRun: FILE_RUN, origin, ...also });
  };
  const stored = async (): Promise<string[]> => (await readdir(join(folder, 'files')).catch(() => [])).sort();

  it('has the bytes, the type that they have, and a name', async () => {
    answer = (response) => response.setHeader('content-type', 'application/pdf').end(bytes);
    const result = await call();
    const output = (result.kind === 'answered' ? result.output : {}) as FileValue;
    expect(result).toMatchObject({ kind: 'answered', detail: { http_status: 200 } });
    expect(output).toMatchObject({ filename: 'r 1.bin', content_type: 'application/octet-stream', bytes: 3 * MIB });
    const files = bench.app.get(RunFilesService, { strict: false });
    const [file] = await files.resolve(bench.ada.workspaceId, FILE_RUN, [output.file]);
    const chunks: Buffer[] = [];
    for await (const chunk of await files.open(file!)) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  it.each([
    ['declared as binary', { response: 'binary' }, 'text/plain', Buffer.from('plain')],
    ['of a binary type', { response: null }, 'image/png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['longer than recorded data', { response: 'binary' }, 'application/octet-stream', bytes],
  ])('keeps a response %s, beside its members', async (_, { response }, type, body) => {
    answer = (out) => out.setHeader('content-type', type).end(body);
    const result = await call({ response });
    const output = (result.kind === 'answered' ? result.output : {}) as JsonObject;
    const isRecorded = body.length < 100_000;
    expect(output).toEqual({
      content_type: type,
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
      base64: isRecorded ? body.toString('base64') : null,
      ...(!isRecorded && { truncated: true }),
      file: expect.stringMatching(/^file_/),
    });
    const files = bench.app.get(RunFilesService, { strict: false });
    const [row] = await files.resolve(bench.ada.workspaceId, FILE_RUN, [output.file as string]);
    expect(row).toMatchObject({ filename: 'r 1.bin', sha256: output.sha256, source: 'tool', sourceStep: 'fetch' });
  });

  it.each([
    ['', (body: Buffer) => body],
    [' that is compressed', gzipSync],
  ])('has all bytes of a binary response%s, however long it is', async (_, encoded) => {
    const whole = randomBytes(9 * MIB);
    answer = (out) => {
      out.setHeader('content-type', 'application/zip');
      if (encoded === gzipSync) out.setHeader('content-encoding', 'gzip');
      out.end(encoded(whole));
    };
    const expected = { bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') };
    const result = await call({ response: null });
    const output = (result.kind === 'answered' ? result.output : {}) as JsonObject;
    expect(output).toEqual({
      content_type: 'application/zip',
      ...expected,
      base64: null,
      truncated: true,
      file: expect.stringMatching(/^file_/),
    });
    expect(result).toMatchObject({ detail: { response_summary: `200 application/zip, ${whole.length} bytes` } });
    const files = bench.app.get(RunFilesService, { strict: false });
    expect(await files.resolve(bench.ada.workspaceId, FILE_RUN, [output.file as string])).toMatchObject([expected]);
  });

  it('is cut off without a file if it is a long text, or outside of a run', async () => {
    const before = await stored();
    answer = (out) => out.setHeader('content-type', 'text/plain').end(Buffer.alloc(9 * MIB, 'x'));
    expect(await call({ response: null })).toMatchObject({ output: { bytes: 8 * MIB, partial: true } });
    answer = (out) => out.setHeader('content-type', 'image/png').end(bytes9);
    const outside = await call({ response: 'binary' }, { fileRun: undefined });
    expect(outside).toMatchObject({ output: { bytes: 8 * MIB, partial: true } });
    expect(await stored()).toEqual(before);
  });

  it('leaves nothing if a long binary response ends too early or is too large', async () => {
    const before = await stored();
    const binary = { response: 'binary' };
    answer = (response) => {
      response.writeHead(200, { 'content-length': String(10 * MIB) });
      response.write(bytes9, () => response.destroy());
    };
    expect(await call(binary)).toMatchObject({ kind: 'refused', code: 'tool_error' });
    const unreadable = { unreadable: true, reason: expect.any(String) };
    expect(await call({ ...binary, method: 'POST' })).toMatchObject({ kind: 'answered', output: unreadable });
    answer = (response) => response.end(Buffer.alloc(10 * MIB + 1, 0xff));
    expect(await call(binary)).toMatchObject({ kind: 'refused', code: 'file_too_large' });
    expect(await stored()).toEqual(before);
  });

  it('is no file outside of a run, or where the call fails', async () => {
    answer = (out, path) => out.writeHead(path === '/gone' ? 404 : 200, { 'content-type': 'image/png' }).end('\x89P');
    const binary = { response: 'binary' };
    expect(await call(binary, { fileRun: undefined })).not.toHaveProperty('output.file');
    const before = await stored();
    expect(await call({ ...binary, path: '/gone' })).toMatchObject({ kind: 'refused', status: 404 });
    expect(await stored()).toEqual(before);
  });

  it('may come after a redirect of a read, and with status and headers', async () => {
    answer = (response, path) => {
      if (path !== '/real') response.writeHead(302, { location: '/real' }).end();
      else response.setHeader('content-disposition', 'attachment; filename="a.txt"').end('hi');
    };
    expect(await call({ ok_status: [404] })).toMatchObject({
      output: { status: 200, body: { filename: 'a.txt', content_type: 'text/plain', bytes: 2 } },
    });
  });

  it('is null without a body, and an error is read as text', async () => {
    answer = (response) => response.writeHead(204).end();
    expect(await call()).toMatchObject({ kind: 'answered', output: null });
    answer = (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"why":"gone"}');
    expect(await call()).toMatchObject({ kind: 'refused', code: 'tool_error', status: 404, body: { why: 'gone' } });
    expect(await call({ ok_status: [404] })).toMatchObject({ output: { status: 404, body: { why: 'gone' } } });
  });

  it('leaves a write in doubt at once while the storage does not answer, and is requested again by other calls', async () => {
    const path = join(folder, 'files');
    await rename(path, `${path}.away`);
    await symlink(path, path);
    let requests = 0;
    answer = (response) => {
      requests += 1;
      response.setHeader('content-type', 'application/zip').end(bytes9);
    };
    try {
      for (const response of ['file', 'binary', null]) {
        expect(await call({ response, method: 'POST' })).toMatchObject({ kind: 'unknown', code: 'tool_error' });
        expect(await call({ response })).toMatchObject({ kind: 'refused', awaitsStorage: true });
        const again = { response, method: 'POST', effect: 'idempotent' };
        expect(await call(again)).toMatchObject({ kind: 'refused', awaitsStorage: true });
      }
      expect(requests).toBe(9);
    } finally {
      await unlink(path);
      await rename(`${path}.away`, path);
    }
  });

  it('leaves nothing if it is too large, ends too early, or is stopped', async () => {
    const before = await stored();
    answer = (response) => response.end(Buffer.alloc(10 * MIB + 1));
    expect(await call()).toMatchObject({ kind: 'refused', code: 'file_too_large', permanent: true });
    answer = (response) => {
      response.writeHead(200, { 'content-length': String(2 * MIB) });
      response.write(Buffer.alloc(MIB), () => response.destroy());
    };
    expect(await call()).toMatchObject({ kind: 'refused', code: 'tool_error' });
    expect(await call({ method: 'POST' })).toMatchObject({ kind: 'refused', code: 'tool_error', permanent: true });
    const stop = new AbortController();
    answer = (response) => response.write(Buffer.alloc(MIB), () => stop.abort());
    expect(await call({}, { signal: stop.signal })).toMatchObject({ kind: 'refused', code: 'tool_error' });
    expect(await stored()).toEqual(before);
  });
});

describe('a response beyond the limits of files', () => {
  const MARK = Buffer.from('an EICAR test');
  let folder: string;
  let clamd: ClamdServer;
  let server: Server;
  let bench: ToolBench;
  let body: Buffer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aas-limited-'));
    clamd = await ClamdServer.start(2 * MIB);
    server = createServer((_, response) => response.setHeader('content-type', 'image/png').end(body));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const limits = { WORKSPACE_FILE_BYTES: String(MIB), FILE_SCAN: clamd.address };
    bench = await ToolBench.start({ DATA_DIR: folder, EGRESS_ALLOW: '127.0.0.0/8', ...limits });
  });
  afterAll(async () => {
    await bench.close();
    await clamd.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const call = (response: string, run = RUN): Promise<unknown> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const operations = [{ name: 'get', method: 'GET', path: '/', response }];
    const origin = { runId: run, step: 'fetch', epoch: '1', attempt: 1 };
    const tools = [{ name: 'shop', type: 'http', base_url: url, operations }];
    return bench.call(tools, 'shop.get', {}, { fileRun: { ...FILE_RUN, runId: run }, origin });
  };

  it.each(['file', 'binary'])('leaves nothing with `response: %s`, and is not requested again', async (response) => {
    body = Buffer.alloc(MIB + 1, 1);
    expect(await call(response)).toMatchObject({ kind: 'refused', code: 'file_quota_exceeded' });
    body = MARK;
    expect(await call(response)).toMatchObject({ kind: 'refused', code: 'file_refused' });
    expect((await readdir(join(folder, 'files'))).filter((name) => isId('file', name))).toEqual([]);
  });
});

it.each([
  ['attachment; filename="a \\"b.pdf"', '/x', 'a "b.pdf'],
  ["attachment; filename=plain.pdf; filename*=UTF-8''%C3%9C.pdf", '/x', 'Ü.pdf'],
  ['inline', '/a/b%20c.txt?x=1', 'b c.txt'],
  ['', '/', 'response'],
])('names the file of a response %s of %s', (disposition, path, name) => {
  expect(answerName(disposition, `https://a.example${path}`)).toBe(name);
});
