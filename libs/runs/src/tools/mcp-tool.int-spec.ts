import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CompiledDefinition, compileDefinition, type ToolDescriptions } from '@app/definition';
import { FileLinksService, fileValueOf, RunFilesService } from '@app/files';
import { type JsonObject, newId } from '@app/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { eventually } from '../../../../test/support/eventually.js';
import { McpTestServer } from '../../../../test/support/mcp-test-server.js';
import { someTools } from '../../../../test/support/mcp-tools.mjs';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';

const STDIO = resolve('test/fixtures/mcp-stdio-server.mjs');

function described(): ToolDescriptions {
  const operations = someTools().map(({ name, inputSchema, annotations }) => {
    const readsOnly = annotations?.readOnlyHint === true;
    return [name, { description: null, request: inputSchema as JsonObject, readsOnly, http: null }] as const;
  });
  return { mail: { operations: Object.fromEntries(operations) } };
}

describe('a tool of an MCP server', () => {
  let server: McpTestServer;
  let bench: ToolBench;
  let folder: string;

  beforeAll(async () => {
    server = await McpTestServer.start();
    folder = await mkdtemp(join(tmpdir(), 'aas-mcp-tool-'));
    bench = await ToolBench.start({
      DATA_DIR: folder,
      EGRESS_ALLOW: server.egressEntry,
      MCP_STDIO_COMMANDS: STDIO,
    });
  });

  afterAll(async () => {
    await bench.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(() => server.reset());

  const definition = (settings: JsonObject = {}, descriptions = described()): CompiledDefinition => {
    const include = ['look_up', 'send_reply'];
    const tool = { name: 'mail', type: 'mcp', transport: 'streamable_http', url: server.url, include, ...settings };
    return compileDefinition({ name: 'a', tools: [tool], steps: [] }, descriptions);
  };
  const call = (
    name: string,
    request: JsonObject,
    more: Partial<ToolCall> = {},
    of = definition(),
  ): Promise<ToolCallResult> => bench.callOf(of, `mail.${name}`, request, more);

  it('is called with its arguments, and its text is the output', async () => {
    expect(await call('send_reply', { text: 'hi' })).toMatchObject({
      kind: 'answered',
      output: 'did send_reply',
      detail: { response_summary: 'did send_reply' },
    });
    expect(server.calls).toEqual([{ name: 'send_reply', arguments: { text: 'hi' } }]);
  });

  it('is a write unless it or the definition says that it reads', () => {
    const { operations } = definition();
    expect(operations.get('mail.look_up')).toMatchObject({ scope: 'read', effect: 'read' });
    expect(operations.get('mail.send_reply')).toMatchObject({ scope: 'write', effect: 'at_most_once' });
    const overridden = definition({ overrides: { look_up: { scope: 'write' }, send_reply: { effect: 'idempotent' } } });
    expect(overridden.operations.get('mail.look_up')).toMatchObject({ scope: 'write', effect: 'at_most_once' });
    expect(overridden.operations.get('mail.send_reply')).toMatchObject({ effect: 'idempotent' });
  });

  it('is called over one connection, by one caller at a time', async () => {
    await call('look_up', { text: '1' });
    await call('look_up', { text: '2' });
    expect(server.sessions).toBeLessThanOrEqual(1);
    await Promise.all([call('look_up', { text: '3' }), call('look_up', { text: '4' })]);
    expect(server.sessions).toBeLessThanOrEqual(2);
    expect(server.calls).toHaveLength(4);
  });

  it('is called over a new connection when the server has dropped the old one, and once', async () => {
    await call('send_reply', { text: '1' });
    await server.close();
    await server.listen();
    expect(await call('send_reply', { text: '2' })).toMatchObject({ kind: 'answered' });
    expect(server.calls).toHaveLength(2);
  });

  it('gives the structured content, JSON in a text, and several blocks as they are', async () => {
    server.answer = () => ({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 2 } });
    expect(await call('look_up', { text: '' })).toMatchObject({ output: { a: 2 } });
    server.answer = () => ({ content: [{ type: 'text', text: '{"a":1}' }] });
    expect(await call('look_up', { text: '' })).toMatchObject({ output: { a: 1 } });
    server.answer = () => ({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    });
    expect(await call('look_up', { text: '' })).toMatchObject({
      output: {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    });
  });

  describe('that gives bytes', () => {
    const image = { type: 'image', mimeType: 'image/png' };
    const scan = { uri: 'file:///scans/a.pdf', mimeType: 'application/pdf' };
    const fileRun = { runId: newId('run'), agentId: 'agt_1', parentRunId: null };
    const origin = { runId: fileRun.runId, step: 's', epoch: '1', attempt: 1 };
    const file = expect.stringMatching(/^file_/);
    const blocksOf = (result: ToolCallResult): JsonObject[] =>
      result.kind === 'answered' ? (result.output as { content: JsonObject[] }).content : [];
    beforeEach(() => {
      const content = [
        { ...image, data: 'AA==' },
        { type: 'resource', resource: { ...scan, blob: btoa('%PDF-1.7') } },
      ];
      server.answer = () => ({ content: content as CallToolResult['content'] });
    });

    it('has them as files too', async () => {
      const result = await call('look_up', { text: '' }, { fileRun, origin });
      expect(result).toHaveProperty('output.content', [
        { ...image, data: 'AA==', file },
        { type: 'resource', resource: { ...scan, blob: btoa('%PDF-1.7') }, file },
      ]);
      const ids = blocksOf(result).map((block) => block.file as string);
      const stored = bench.app.get(RunFilesService, { strict: false });
      expect(await stored.resolve(bench.ada.workspaceId, fileRun, ids)).toMatchObject([
        { filename: 'image', bytes: 1 },
        { filename: 'a.pdf', bytes: 8, contentType: 'application/pdf', sourceStep: 's' },
      ]);
    });

    it.each([
      ['the definition wants references', { files: 'reference' }, 'AA=='],
      ['they are too long to be recorded', {}, 'A'.repeat(1_400_000)],
    ])('has them only as files where %s', async (_, more, data) => {
      server.answer = () => ({ content: [{ type: 'image', mimeType: 'image/png', data }] });
      const wanted = { ...definition(), ...(more as { files?: 'reference' }) };
      expect(await call('look_up', { text: '' }, { fileRun, origin }, wanted)).toHaveProperty('output.content', [
        { ...image, file },
      ]);
    });

    it('has no files outside of a run', async () => {
      const [first] = blocksOf(await call('look_up', { text: '' }));
      expect(first).toEqual({ ...image, data: 'AA==' });
    });
  });

  describe('that takes files', () => {
    const fileRun = { runId: newId('run'), agentId: 'agt_1', parentRunId: null };
    const origin = { runId: fileRun.runId, step: 's', epoch: '1', attempt: 1 };
    const taking = (form: string): CompiledDefinition =>
      definition({ overrides: { send_reply: { files: { text: form } } } });
    const stored = async (bytes: Buffer): Promise<JsonObject> => {
      const file = await bench.app.get(RunFilesService, { strict: false }).store(bench.ada.workspaceId, {
        source: { type: 'tool', run: fileRun.runId },
        filename: 'a.txt',
        declaredContentType: undefined,
        stream: (async function* () {
          yield bytes;
        })(),
      });
      return { ...fileValueOf(file) };
    };
    const send = (request: JsonObject, form: string, more: Partial<ToolCall> = {}) =>
      call('send_reply', request, { fileRun, origin, ...more }, taking(form));

    it('gets their content, or a link that opens it', async () => {
      const file = await stored(Buffer.from('one two'));
      expect(await send({ text: file }, 'base64')).toMatchObject({ kind: 'answered' });
      expect(server.calls).toEqual([{ name: 'send_reply', arguments: { text: btoa('one two') } }]);
      server.answer = ({ arguments: args }) => ({ content: [{ type: 'text', text: String(args?.text) }] });
      const [first, second] = [await send({ text: file }, 'url'), await send({ text: file }, 'url')];
      expect(second).toEqual(first);
      const { text: url } = server.calls.at(-1)!.arguments as { text: string };
      const [token = ''] = /[A-Za-z0-9_-]{43}$/.exec(url) ?? [];
      expect(await bench.app.get(FileLinksService, { strict: false }).open(token, true)).toMatchObject({
        file: { id: file.file },
      });
      expect(JSON.stringify(first)).not.toContain(token);
    });

    it('is not called with a file that is too large, or that the run may not use', async () => {
      const large = await stored(Buffer.alloc(800_000, 'x'));
      expect(await send({ text: large }, 'base64')).toMatchObject({ code: 'file_too_large', permanent: true });
      const others = { fileRun: { ...fileRun, runId: newId('run') } };
      expect(await send({ text: large }, 'url', others)).toMatchObject({ code: 'file_missing', permanent: true });
      expect(await send({ text: large }, 'url', { fileRun: undefined })).toMatchObject({ code: 'file_missing' });
      expect(server.calls).toEqual([]);
    });
  });

  it('fails when it says so', async () => {
    server.answer = () => ({ content: [{ type: 'text', text: 'no such mail' }], isError: true });
    expect(await call('send_reply', { text: '' })).toMatchObject({
      kind: 'refused',
      code: 'tool_error',
      permanent: true,
      message: expect.stringContaining('no such mail'),
    });
  });

  it('is not called when it takes other arguments than the version was created with, or has gone', async () => {
    server.tools = someTools().map((tool) => ({ ...tool, inputSchema: { type: 'object', required: ['bcc'] } }));
    expect(await call('send_reply', { text: '' })).toMatchObject({ kind: 'refused', permanent: true });
    server.tools = [];
    expect(await call('send_reply', { text: '' })).toMatchObject({ kind: 'refused', permanent: true });
    expect(server.calls).toEqual([]);
  });

  it('is not called without a description', async () => {
    expect(await call('send_reply', { text: '' }, {}, definition({}, {}))).toMatchObject({ kind: 'refused' });
    expect(server.headers).toEqual([]);
  });

  it('may have been called when its server vanishes during the call, and has not when it is not there', async () => {
    server.answer = () => {
      void server.close();
      return new Promise(() => undefined);
    };
    expect(await call('send_reply', { text: '' })).toMatchObject({ kind: 'unknown' });
    expect(await call('send_reply', { text: '' })).toMatchObject({ kind: 'refused', unanswered: true });
    expect(server.calls).toHaveLength(1);
    await server.listen();
  });

  it('is not waited for longer than allowed', async () => {
    server.answer = () => new Promise(() => undefined);
    expect(await call('send_reply', { text: '' }, { timeoutMs: 1_000 })).toMatchObject({
      kind: 'unknown',
      code: 'timeout',
    });
    expect(await call('look_up', { text: '' }, { timeoutMs: 1_000 })).toMatchObject({
      kind: 'refused',
      unanswered: true,
    });
  });

  it('is broken off when its run is cancelled', async () => {
    server.answer = () => new Promise(() => undefined);
    const cancel = new AbortController();
    const calling = call('send_reply', { text: '' }, { signal: cancel.signal });
    await eventually(() => expect(server.calls).toHaveLength(1));
    cancel.abort('cancelled');
    expect(await calling).toMatchObject({ kind: 'unknown' });
  });

  it('is held back when permission lapses while the connection is made', async () => {
    expect(await call('send_reply', { text: '' }, { mayStart: () => false })).toEqual({ kind: 'not_started' });
    expect(server.calls).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['does not fit', { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } }],
    ['is no schema', { type: 'object', properties: { sum: { type: 'nonsense', pattern: '(' } } }],
    ['takes long to check', { type: 'object', properties: { text: { pattern: '^(a+)+$' } } }],
  ])('is answered whatever output schema the server gives it: one that %s', async (_, schema) => {
    const structuredContent = { text: `${'a'.repeat(64)}!` };
    server.tools = someTools().map((tool) => ({ ...tool, outputSchema: schema as (typeof tool)['inputSchema'] }));
    server.answer = () => ({ content: [], structuredContent });
    expect(await call('send_reply', { text: 'hi' })).toMatchObject({ kind: 'answered', output: structuredContent });
  });

  it('is made with the next try when making the connection took longer than the permission lasts', async () => {
    const of = definition({ headers: { 'X-Test': 'held-back' } });
    // Calls the tool once. `mayStart` returns false as soon as the server has received any request from this call, for
    // example the request that opens the connection.
    const once = (): Promise<ToolCallResult> => {
      const before = server.headers.length;
      return call('send_reply', { text: 'hi' }, { mayStart: () => server.headers.length === before }, of);
    };
    expect(await once()).toEqual({ kind: 'not_started' });
    expect(await once()).toMatchObject({ kind: 'answered' });
    expect(server.sessions).toBe(1);
    expect(server.calls).toEqual([{ name: 'send_reply', arguments: { text: 'hi' } }]);
    server.tools = [];
    expect(await call('send_reply', { text: 'hi' }, {}, of)).toMatchObject({ kind: 'refused', permanent: true });
    expect(server.calls).toHaveLength(1);
  });

  it('gets the credentials of the tool, and none of them comes back', async () => {
    await bench.secrets.put(bench.ada, 'MAIL_TOKEN', 't0ken-value');
    server.answer = () => ({ content: [{ type: 'text', text: 'you said t0ken-value' }] });
    const of = definition({ auth: { type: 'bearer', token: '${{ secrets.MAIL_TOKEN }}' } });
    expect(await call('look_up', { text: '' }, {}, of)).toMatchObject({ output: 'you said [redacted]' });
    expect(new Set(server.headers.map((headers) => headers.authorization))).toEqual(new Set(['Bearer t0ken-value']));
  });

  it('answers with more than can be recorded: its beginning and its hash are', async () => {
    server.answer = () => ({ content: [{ type: 'text', text: 'x'.repeat(2 * 1024 * 1024) }] });
    expect(await call('look_up', { text: '' })).toMatchObject({
      output: { truncated: true, sha256: expect.any(String) },
    });
  });

  it('is not read without end', async () => {
    server.answer = () => ({ content: [{ type: 'text', text: 'x'.repeat(20 * 1024 * 1024) }] });
    expect(await call('look_up', { text: '' }, { timeoutMs: 1_000 })).toMatchObject({ kind: 'refused' });
    expect(await call('send_reply', { text: '' }, { timeoutMs: 1_000 })).toMatchObject({ kind: 'unknown' });
  });

  it('is not reached on an address that the operator did not allow', async () => {
    // A new server is used, because no earlier call has left an open connection to it.
    const unknown = await McpTestServer.start();
    const other = await ToolBench.start({});
    const of = definition({ url: unknown.url });
    expect(await other.callOf(of, 'mail.look_up', { text: '' })).toMatchObject({ kind: 'refused' });
    await other.close();
    await unknown.close();
    expect(unknown.headers).toEqual([]);
  });

  describe('over stdio', () => {
    let folder: string;
    let file: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mcp-'));
      file = join(folder, 'calls');
    });

    afterAll(() => rm(folder, { recursive: true }));

    const over = (command: string): CompiledDefinition => {
      const include = ['look_up', 'send_reply'];
      const tool = { name: 'mail', type: 'mcp', transport: 'stdio', command, args: [file], include };
      return compileDefinition({ name: 'a', tools: [tool], steps: [] }, described());
    };
    const lines = async (): Promise<{ pid: number; secrets: string[] }[]> =>
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { pid: number; secrets: string[] });

    const processes = async (): Promise<number> => (await readFile(`${file}.starts`, 'utf8')).trim().split('\n').length;

    it('is called in one process, which knows nothing of the service', async () => {
      expect(await call('send_reply', { text: '1' }, {}, over(STDIO))).toMatchObject({ output: 'did send_reply' });
      await call('send_reply', { text: '2' }, {}, over(STDIO));
      const [first, second] = await lines();
      expect(second?.pid).toBe(first?.pid);
      expect(first?.secrets).toEqual([]);
    });

    it('may have been called when the process ends during the call; the next call starts another one', async () => {
      expect(await call('send_reply', { text: 'exit' }, {}, over(STDIO))).toMatchObject({ kind: 'unknown' });
      expect(await call('send_reply', { text: '4' }, {}, over(STDIO))).toMatchObject({ kind: 'answered' });
    });

    it('is not started when permission lapses', async () => {
      const before = await lines();
      expect(await call('send_reply', { text: '5' }, { mayStart: () => false }, over(STDIO))).toEqual({
        kind: 'not_started',
      });
      expect(await lines()).toEqual(before);
    });

    it('is made with the next try in the process that was started for a try that was held back', async () => {
      await call('send_reply', { text: 'exit' }, {}, over(STDIO));
      const [calls, starts] = [(await lines()).length, await processes()];
      const held = await call('send_reply', { text: '6' }, { mayStart: () => false }, over(STDIO));
      expect(held).toEqual({ kind: 'not_started' });
      expect(await call('send_reply', { text: '6' }, {}, over(STDIO))).toMatchObject({ kind: 'answered' });
      expect(await processes()).toBe(starts + 1);
      expect(await lines()).toHaveLength(calls + 1);
    });

    it('is not started when the operator does not allow the program', async () => {
      expect(await call('look_up', { text: '' }, {}, over('/bin/sh'))).toMatchObject({
        kind: 'refused',
        permanent: true,
        message: expect.stringContaining('MCP_STDIO_COMMANDS'),
      });
    });
  });
});
