import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CompiledDefinition, compileDefinition, type ToolDescriptions } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';
import { ToolBench } from '../testing/tool-bench.js';

interface Message {
  id?: number;
  method: string;
  params?: JsonObject;
}

/** Responds to a message in another way than usual. Returns false if the usual response is right. */
type Act = (message: Message, response: ServerResponse, request: IncomingMessage) => boolean;

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } } };
const TOOL = { name: 'go', inputSchema: SCHEMA };
const TEXT = { content: [{ type: 'text', text: 'done' }] };
const SSE = 'text/event-stream';

/** An MCP server over HTTP whose responses a test writes by hand. */
class ScriptedServer {
  readonly received: { method: string; lastEventId?: string | undefined; headers: IncomingHttpHeaders }[] = [];
  act: Act = () => false;
  session: string | undefined;
  readonly results: Record<string, JsonValue> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [TOOL] },
    'tools/call': TEXT,
  };

  private constructor(private readonly http: Server) {
    http.on('request', (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => this.respond(request, response, body));
    });
  }

  static async start(): Promise<ScriptedServer> {
    const http = createServer().listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new ScriptedServer(http);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/mcp`;
  }

  calls(): number {
    return this.received.filter(({ method }) => method === 'tools/call').length;
  }

  close(): void {
    this.http.close();
    this.http.closeAllConnections();
  }

  private respond(request: IncomingMessage, response: ServerResponse, body: string): void {
    const message: Message = body === '' ? { method: request.method ?? '' } : (JSON.parse(body) as Message);
    const { headers } = request;
    this.received.push({ method: message.method, lastEventId: headers['last-event-id']?.toString(), headers });
    if (this.act(message, response, request)) return;
    if (message.id === undefined) return void response.writeHead(body === '' ? 405 : 202).end();
    if (!(message.method in this.results))
      return json(response, { ...of(message), error: { code: -32601, message: 'x' } });
    const named: Record<string, string> =
      message.method === 'initialize' && this.session !== undefined ? { 'mcp-session-id': this.session } : {};
    json(response, { ...of(message), result: this.results[message.method] ?? null }, named);
  }
}

function of({ id = 0 }: Message): JsonObject {
  return { jsonrpc: '2.0', id };
}

function json(response: ServerResponse, body: JsonValue, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const onCall =
  (act: (response: ServerResponse, message: Message) => void): Act =>
  (message, response) => {
    if (message.method !== 'tools/call') return false;
    act(response, message);
    return true;
  };

const status = (code: number, headers: Record<string, string> = {}, body = '{"error":"no"}'): Act =>
  onCall((response) => response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body));

describe('what an MCP server answers', () => {
  let bench: ToolBench;
  let server: ScriptedServer;

  beforeAll(async () => {
    bench = await ToolBench.start({ EGRESS_ALLOW: '127.0.0.1/32', MCP_STDIO_COMMANDS: process.execPath });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    server = await ScriptedServer.start();
  });
  afterEach(() => server.close());

  const definition = (readsOnly: boolean): CompiledDefinition => {
    const operation = { description: null, request: SCHEMA, readsOnly, http: null };
    const descriptions: ToolDescriptions = { m: { operations: { go: operation } } };
    const tool = { name: 'm', type: 'mcp', transport: 'streamable_http', url: server.url, include: ['go'] };
    return compileDefinition({ name: 'a', tools: [tool], steps: [] }, descriptions);
  };
  const ofProgram = (program: string): CompiledDefinition => {
    const operation = { description: null, request: SCHEMA, readsOnly: false, http: null };
    const where = { transport: 'stdio', command: process.execPath, args: ['-e', program] };
    const tool = { name: 'm', type: 'mcp', include: ['go'], ...where };
    return compileDefinition({ name: 'a', tools: [tool], steps: [] }, { m: { operations: { go: operation } } });
  };
  const call = (kind: 'read' | 'write', more: Partial<ToolCall> = {}): Promise<ToolCallResult> =>
    bench.callOf(definition(kind === 'read'), 'm.go', { q: 'x' }, { timeoutMs: 30_000, ...more });

  it.each([301, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422])(
    'with the status %d is a definite failure of a write',
    async (code) => {
      server.act = status(code);
      expect(await call('write')).toMatchObject({
        kind: 'refused',
        code: 'tool_error',
        permanent: true,
        status: code,
        body: { error: 'no' },
        detail: { http_status: code },
        message: expect.stringContaining(`HTTP status ${code}`),
      });
      expect(server.calls()).toBe(1);
    },
  );

  it.each([408, 425, 429])('with the status %d lets a call be repeated later', async (code) => {
    server.act = status(code, { 'retry-after': '7' });
    const expected = { kind: 'refused', permanent: false, ...(code === 429 && { retryAfterMs: 7_000 }) };
    expect(await call('write')).toMatchObject(expected);
    expect(await call('read')).toMatchObject(expected);
  });

  it.each([500, 502, 503, 504])('with the status %d leaves the outcome of a write unknown', async (code) => {
    server.act = status(code, { 'retry-after': '7' });
    expect(await call('write')).toMatchObject({ kind: 'unknown', status: code });
    expect(await call('read')).toMatchObject({ kind: 'refused', permanent: false, status: code });
  });

  it.each<[string, Act]>([
    ['a body that is cut off', onCall((response) => {
      response.writeHead(422, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    })],
    ['damaged headers', onCall((response) => {
      response.socket?.end('HTTP/1.1 403 Forbidden\r\na b\0: c\r\n\r\n');
    })],
    ['a wrong compression', status(400, { 'content-encoding': 'gzip' })],
  ])('with a refusing status and %s is a definite failure of a write', async (_, act) => {
    server.act = act;
    expect(await call('write')).toMatchObject({ kind: 'refused', permanent: true });
  }); // prettier-ignore

  it.each<[string, JsonObject]>([
    ['an error of JSON-RPC', { error: { code: -32_603, message: 'broken' } }],
    ['a result that violates the protocol', { result: { content: 'text' } }],
  ])('with %s is a definite failure of a write', async (_, body) => {
    server.act = onCall((response, message) => json(response, { ...of(message), ...body }));
    expect(await call('write')).toMatchObject({ kind: 'refused', code: 'tool_error', permanent: true });
    server.act = onCall((response, message) => {
      response.writeHead(200, { 'content-type': SSE });
      response.end(`data: ${JSON.stringify({ ...of(message), ...body })}\n\n`);
    });
    expect(await call('write')).toMatchObject({ kind: 'refused', code: 'tool_error', permanent: true });
  });

  it.each<[string, Act]>([
    ['without a response to the call', onCall((response) => json(response, { jsonrpc: '2.0', id: 999, result: TEXT }))],
    ['that accepts the call and ends', onCall((response) => response.writeHead(202).end())],
    ['that is no JSON', onCall((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'))],
    ['of another type', status(200, { 'content-type': 'text/html' }, '<p>Sign in</p>')],
    ['whose stream ends', onCall((response) => response.writeHead(200, { 'content-type': SSE }).end(': hi\n\n'))],
    ['whose stream breaks', onCall((response) => {
      response.writeHead(200, { 'content-type': SSE });
      response.write(': hi\n\n', () => response.destroy());
    })],
    ['whose stream cannot be resumed', onCall((response) => {
      response.writeHead(200, { 'content-type': SSE }).end('id: 1\nretry: 0\ndata:\n\n');
    })],
  ])('%s ends the call at once, and the outcome of a write is unknown', async (_, act) => {
    server.act = act;
    expect(await call('write', { timeoutMs: 600_000 })).toMatchObject({ kind: 'unknown', code: 'tool_error' });
    expect(await call('read', { timeoutMs: 600_000 })).toMatchObject({ kind: 'refused', unanswered: true });
  }); // prettier-ignore

  it('is read on after the server has closed its stream', async () => {
    let id: number | undefined;
    const ids = ['e1', 'e2'];
    server.act = (message, response, request) => {
      if (message.method !== 'tools/call' && request.method !== 'GET') return false;
      id ??= message.id;
      const next = ids.shift();
      response.writeHead(200, { 'content-type': SSE });
      if (next === undefined)
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: id ?? 0, result: TEXT })}\n\n`);
      else response.end(`id: ${next}\nretry: 50\ndata:\n\n`);
      return true;
    };
    expect(await call('write')).toMatchObject({ kind: 'answered', output: 'done' });
    expect(server.received.slice(-3)).toMatchObject([
      { method: 'tools/call' },
      { method: 'GET', lastEventId: 'e1' },
      { method: 'GET', lastEventId: 'e2' },
    ]);
  });

  it('with 404 in a session is a lost session: the call is made once more in a new one', async () => {
    server.session = 'S1';
    const lost = status(404);
    server.act = (message, ...more) => server.calls() === 1 && lost(message, ...more);
    expect(await call('write')).toMatchObject({ kind: 'answered', output: 'done' });
    expect(server.calls()).toBe(2);
    server.act = lost;
    expect(await call('write')).toMatchObject({ kind: 'refused', status: 404 });
    expect(server.calls()).toBe(4);
  });

  it('with 404 in a session is no reason to make the call after a stop', async () => {
    server.session = 'S1';
    server.act = status(404);
    expect(await call('write', { mayStart: () => server.calls() === 0 })).toEqual({ kind: 'not_started' });
    expect(server.calls()).toBe(1);
  });

  it.each([
    ['an empty cursor', ''],
    ['a repeated cursor', 'x'],
    ['null', null],
  ])('with %s ends the list of tools', async (_, nextCursor) => {
    server.results['tools/list'] = { tools: [TOOL], nextCursor };
    expect(await call('write')).toMatchObject({ kind: 'answered' });
  });

  it.each<[string, JsonValue]>([
    ['an empty input schema', { name: 'bad', inputSchema: {} }],
    ['no input schema', { name: 'bad' }],
    ['an input schema of alternatives', { name: 'bad', inputSchema: { anyOf: [{ type: 'object' }] } }],
    ['no name', { inputSchema: SCHEMA }],
    ['no members', 'bad'],
    ['a task as its only form of call', { name: 'bad', inputSchema: SCHEMA, execution: { taskSupport: 'required' } }],
  ])('may contain a tool with %s: the others can be called', async (_, bad) => {
    server.results['tools/list'] = { tools: [bad, TOOL] };
    expect(await call('write')).toMatchObject({ kind: 'answered' });
  });

  it('says why a tool can no longer be called', async () => {
    server.results['tools/list'] = { tools: [{ name: 'go', inputSchema: {} }] };
    expect(await call('write')).toMatchObject({ kind: 'refused', message: expect.stringContaining('type: object') });
    expect(server.calls()).toBe(0);
  });

  it.each<[string, JsonValue]>([
    ['a list', [1, 2]],
    ['a number', 0],
    ['null', null],
  ])('may be structured content that is %s', async (_, structuredContent) => {
    server.results['tools/call'] = { ...TEXT, structuredContent };
    expect(await call('read')).toMatchObject({ kind: 'answered', output: structuredContent });
  });

  describe('with integers beyond 2^53', () => {
    const ID = '1533947986218845197';
    const exact = { kind: 'answered', output: { id: ID, text: `${ID},`, ids: [ID, 1] } };
    const lines = (id: JsonValue): string[] => [
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[],"structuredContent":`,
      `{"id": ${ID}, "text": "${ID},",`,
      `"ids": [${ID}, 1]}}}`,
    ];
    const events = (id: JsonValue): string =>
      lines(id)
        .map((line) => `data: ${line}\n`)
        .join('');

    it.each<[string, Act]>([
      [
        'JSON',
        onCall((response, message) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(lines(of(message).id ?? 0).join('\r\n'));
        }),
      ],
      [
        'events',
        onCall((response, message) => {
          response.writeHead(200, { 'content-type': SSE });
          response.end(`id: ${ID}\n${events(of(message).id ?? 0)}\n`);
        }),
      ],
    ])('keeps them in structured content as text: %s', async (_, act) => {
      server.act = act;
      expect(await call('read')).toMatchObject(exact);
    });

    it('keeps them in a response that is resumed', async () => {
      let id: JsonValue = 0;
      server.act = (message, response) => {
        if (message.method !== 'tools/call' && message.method !== 'GET') return false;
        response.writeHead(200, { 'content-type': SSE });
        if (message.method === 'GET') response.end(`${events(id)}\n`);
        else {
          id = of(message).id ?? 0;
          response.end(`retry: 1\nid: ${ID}\ndata:\n\n`);
        }
        return true;
      };
      expect(await call('read')).toMatchObject(exact);
      expect(server.received.at(-1)).toMatchObject({ method: 'GET', lastEventId: ID });
    });

    it('keeps them in the response of a program', async () => {
      const program = `
        require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
          const { id, method } = JSON.parse(line);
          const results = ${JSON.stringify(server.results)};
          if (method === 'tools/call') console.log(${JSON.stringify(lines(0).join(''))}.replace('"id":0', '"id":' + id));
          else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
        });`;
      expect(await bench.callOf(ofProgram(program), 'm.go', { q: 'x' }, { timeoutMs: 60_000 })).toMatchObject(exact);
    });
  });

  it('with 401 before any call fails the call and is not repeated', async () => {
    server.act = (message, response) => {
      if (message.id === undefined) return false;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"token expired"}');
      return true;
    };
    expect(await call('write')).toMatchObject({ kind: 'refused', status: 401, permanent: true });
    expect(server.received.map(({ method }) => method)).toEqual(['server/discover']);
  });

  describe('in the revision 2026-07-28', () => {
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const REGION = { type: 'object', properties: { q: { type: 'string', 'x-mcp-header': 'Query' } } };

    beforeEach(() => {
      delete server.results.initialize;
      const capabilities = { tools: {} };
      server.results['server/discover'] = { ...complete, supportedVersions: ['2026-07-28'], capabilities };
      server.results['tools/list'] = { ...complete, tools: [TOOL] };
      server.results['tools/call'] = { ...complete, ...TEXT };
    });

    it('is the output of the call, which names itself in its headers', async () => {
      expect(await call('write')).toMatchObject({ kind: 'answered', output: 'done' });
      expect(server.received.map(({ method }) => method)).toEqual(['server/discover', 'tools/list', 'tools/call']);
      expect(server.received.at(-1)?.headers).toMatchObject({
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'go',
      });
    });

    it('may repeat arguments in headers', async () => {
      server.results['tools/list'] = { ...complete, tools: [{ ...TOOL, inputSchema: REGION }] };
      const operation = { description: null, request: REGION, readsOnly: false, http: null };
      const tool = { name: 'm', type: 'mcp', transport: 'streamable_http', url: server.url, include: ['go'] };
      const of = compileDefinition({ name: 'a', tools: [tool], steps: [] }, { m: { operations: { go: operation } } });
      expect(await bench.callOf(of, 'm.go', { q: 'blue sky' })).toMatchObject({ kind: 'answered' });
      expect(server.received.at(-1)?.headers).toMatchObject({ 'mcp-param-query': 'blue sky' });
    });

    it.each<[string, JsonObject]>([
      ['a name that is no header', { q: { type: 'string', 'x-mcp-header': 'a b' } }],
      ['a type that is no header', { q: { type: 'object', 'x-mcp-header': 'A' } }],
      ['two equal names', { q: { type: 'string', 'x-mcp-header': 'A' }, r: { type: 'string', 'x-mcp-header': 'a' } }],
      ['a name in an alternative', { q: { anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] } }],
    ])('may contain a tool whose x-mcp-header has %s: only this tool is unusable', async (_, properties) => {
      const bad = { name: 'bad', inputSchema: { type: 'object', properties } };
      server.results['tools/list'] = { ...complete, tools: [bad, TOOL] };
      expect(await call('write')).toMatchObject({ kind: 'answered' });
      server.results['tools/list'] = { ...complete, tools: [{ ...bad, name: 'go' }] };
      expect(await call('write')).toMatchObject({ kind: 'refused', message: expect.stringContaining('x-mcp-header') });
    });

    it('fails the call if the tool asks for input', async () => {
      const ask = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: SCHEMA } };
      server.results['tools/call'] = { resultType: 'input_required', inputRequests: { sure: ask } };
      const message = expect.stringContaining('elicitation') as string;
      expect(await call('write')).toMatchObject({ kind: 'refused', permanent: true, message });
      expect(server.calls()).toBe(1);
    });

    it('is not validated by the library', async () => {
      server.results['tools/call'] = { ...complete, content: Array<JsonObject>(300_000).fill({}) };
      expect(await call('write')).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('content blocks'),
      });
    });

    it('is a definite failure of a write with an error, and unknown without a response', async () => {
      server.act = onCall((response, message) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...of(message), error: { code: -32_602, message: 'no' } }));
      });
      expect(await call('write')).toMatchObject({ kind: 'refused', permanent: true });
      server.act = onCall((response) => response.writeHead(200, { 'content-type': SSE }).end(': hi\n\n'));
      expect(await call('write', { timeoutMs: 600_000 })).toMatchObject({ kind: 'unknown' });
    });
  });

  it.each([404, 500])('with %d to the question for revisions is that of an older server, asked once', async (code) => {
    server.act = (message, response) => {
      if (message.method !== 'server/discover') return false;
      response.writeHead(code).end();
      return true;
    };
    for (const runId of ['run_1', 'run_2'])
      expect(await call('write', { origin: { runId, step: 's', epoch: '1', attempt: 1 } })).toMatchObject({
        kind: 'answered',
      });
    const asked = server.received.filter(({ method }) => /discover|initialize$/.test(method));
    expect(asked.map(({ method }) => method)).toEqual(['server/discover', 'initialize', 'initialize']);
  });

  it('is that of an older program, which the question for revisions ends', async () => {
    const program = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (method === 'server/discover') process.exit(1);
        const results = ${JSON.stringify(server.results)};
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
      });`;
    const answer = await bench.callOf(ofProgram(program), 'm.go', { q: 'x' }, { timeoutMs: 60_000 });
    expect(answer).toMatchObject({ kind: 'answered' });
  });
});
