import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type JsonObject, systemClock } from '@app/kernel';
import { EgressClient } from '@app/platform/egress';
import { mutator } from '../../../../test/support/hostile/conversation.js';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { MemoryPeak } from '../../../../test/support/hostile/memory-peak.js';
import { mutationSeeds } from '../../../../test/support/hostile/seeds.js';
import { McpServers } from './mcp-servers.js';
import type { McpTarget } from './mcp-session.js';

interface Message {
  id?: number;
  method: string;
}

const TOOL = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n';
const empty = (count: number): string => Array<string>(count).fill('{}').join();
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const RESULTS: Record<string, JsonObject> = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
  'tools/list': { tools: [TOOL] },
  'tools/call': { content: [{ type: 'text', text: 'seen' }] },
};

type Act = (response: ServerResponse, message: Message) => void;

const floods =
  (type: string, bytes: string): Act =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    const more = (): void => {
      while (!response.destroyed) if (!response.write(bytes)) return;
    };
    response.on('drain', more);
    more();
  };
const sends =
  (type: string, text: (message: Message) => string): Act =>
  (response, message) => {
    response.writeHead(200, { 'content-type': type });
    response.end(text(message));
  };
const answered = ({ id }: Message, result: string): string => `{"jsonrpc":"2.0","id":${id ?? 0},"result":${result}}`;
const JSON_TYPE = 'application/json';
const SSE = 'text/event-stream';

const CASES: Record<string, [method: string, act: Act]> = {
  'a line without an end': ['tools/call', floods(JSON_TYPE, 'x'.repeat(65_536))],
  'an event without an end': ['tools/call', floods(SSE, `data: ${'x'.repeat(65_536)}\n`)],
  'one line of an event without an end': ['tools/call', floods(SSE, 'x'.repeat(65_536))],
  'notifications without an end': ['tools/call', floods(SSE, `data: ${NOTIFICATION}\n`)],
  'empty events without an end': ['tools/call', floods(SSE, ':\n\n'.repeat(10_000))],
  'garbage': ['tools/call', sends(JSON_TYPE, () => '{"jsonrpc":"2.0","id":')],
  'an end in the middle of its answer': ['tools/call', (response) => {
    response.writeHead(200, { 'content-type': SSE, 'content-length': '100' });
    response.write('data: {', () => response.destroy());
  }],
  'an answer of 1,000,000 levels': ['tools/call', sends(JSON_TYPE, (message) => answered(message, `{"content":[],"structuredContent":{"a":${nested(1_000_000)}}}`))],
  'a tool of 1,000,000 levels': ['tools/list', sends(JSON_TYPE, (message) => answered(message, `{"tools":[{"name":"look","inputSchema":{"type":"object","properties":{"a":{"default":${nested(1_000_000)}}}}}]}`))],
  'pages of tools without an end': ['tools/list', sends(JSON_TYPE, (message) => answered(message, `{"tools":[],"nextCursor":"${Math.random()}"}`))],
  'an answer to another request': ['tools/call', sends(JSON_TYPE, () => answered({ id: 9_999, method: '' }, '{"content":[]}'))],
  '2,000,000 blocks of content that are none': ['tools/call', sends(JSON_TYPE, (message) => answered(message, `{"content":[${empty(2_000_000)}]}`))],
  '2,000,000 events of blocks that are none': ['tools/call', sends(SSE, (message) => `data: ${answered(message, `{"content":[${empty(2_000_000)}]}`)}\n\n`)],
  '2,000,000 tools that are none': ['tools/list', sends(JSON_TYPE, (message) => answered(message, `{"tools":[${empty(2_000_000)}]}`))],
  'an error with a message of 7 MB': ['tools/call', sends(JSON_TYPE, ({ id }) => `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"${'x'.repeat(7_000_000)}"}}`)],
  'no answer': ['tools/call', () => undefined],
  'a greeting without an end': ['initialize', floods(SSE, 'x'.repeat(65_536))],
}; // prettier-ignore

/**
 * Repeats, removes or replaces a part of the text. `seed` and `id` determine the part and the change. Seed 0 changes
 * nothing. This function runs in the program of the MCP server.
 */
function changedMessage(text: string, seed: number, id: number): string {
  const chosen = (seed * 7_919 + id * 104_729) % 1_000;
  if (seed === 0 || chosen % 3 === 0) return text;
  const at = (chosen * 31) % text.length;
  const parts = [text.slice(0, at), text.slice(at)] as const;
  if (chosen % 4 === 0) return parts[0];
  if (chosen % 4 === 1) return parts[0] + text + parts[1];
  if (chosen % 4 === 2) return `${parts[0]}\n${parts[1]}`;
  return `${parts[0]}\u0000[{"id":-1e999}]${parts[1].slice(chosen % 7)}`;
}

const PROGRAM = `
const send = (text) => process.stdout.write(text);
const results = ${JSON.stringify(RESULTS)};
const hostile = {
  line: (id) => { const more = () => { while (send('x'.repeat(65536))); }; process.stdout.on('drain', more); more(); },
  flood: (id) => { const text = ${JSON.stringify(NOTIFICATION.repeat(100))}; const more = () => { while (send(text)); }; process.stdout.on('drain', more); more(); },
  garbage: (id) => send('garbage\\n{"jsonrpc":"2.0"}\\n'),
  exit: (id) => { send('{"jsonrpc":"2.0","id":' + id); process.exit(1); },
  nested: (id) => send('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":{"a":' + '['.repeat(1e6) + ']'.repeat(1e6) + '}}}\\n'),
  large: (id) => { const text = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"' + 'x'.repeat(7e6) + '"}}\\n'; const more = () => { while (send(text)); }; process.stdout.on('drain', more); more(); },
  blocks: (id) => send('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[' + Array(2e6).fill('{}').join() + ']}}\\n'),
  silent: () => undefined,
};
const change = ${changedMessage.toString()};
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    if (method === 'tools/call' && process.argv[1] in hostile) hostile[process.argv[1]](id);
    else send(change(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) + '\\n', Number(process.argv[2] ?? 0), id));
  }
});
`;
const PROGRAMS = ['line', 'flood', 'large', 'blocks', 'garbage', 'exit', 'nested', 'silent'];
const SEEDS = mutationSeeds(40);
const FLOODS = ['line', 'flood', 'large'];
/** Maximum memory growth of this process in MiB while six servers send 8 MiB each at the same time. */
const MAX_GROWTH = 1_000;

describe('a hostile MCP server', () => {
  const servers: Server[] = [];
  let egress: EgressClient;
  let mcp: McpServers;
  let outcomes: Map<string, Promise<unknown>>;
  let memory: MemoryPeak;

  /** Calls a server over HTTP that responds with mutated JSON or events. */
  const mutatedServer = (seed: number): Promise<unknown> => {
    const mutate = mutator(seed);
    const act: Act = (response, message) => {
      const text = answered(message, JSON.stringify(RESULTS[message.method]));
      const whole = seed % 2 === 0 ? text : `event: message\ndata: ${text}\n\n`;
      response.writeHead(200, { 'content-type': seed % 2 === 0 ? JSON_TYPE : SSE });
      response.end(mutate(Buffer.from(whole)));
    };
    return overHttp('', act, 3_000);
  };
  const call = (target: McpTarget, timeoutMs: number): Promise<unknown> => {
    const exchange = { signal: new AbortController().signal, timeoutMs, onBeforeSend: () => true };
    const owner = { id: 'run_1', released: null };
    return mcp.callTool(target, owner, { name: 'look', inputSchema: TOOL.inputSchema, args: {} }, exchange);
  };
  const overHttp = async (method: string, act: Act, timeoutMs: number): Promise<unknown> => {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const message = JSON.parse(body || '{}') as Message;
        if (message.id === undefined) response.writeHead(202).end();
        else if (method === '' || message.method === method) act(response, message);
        else sends(JSON_TYPE, () => answered(message, JSON.stringify(RESULTS[message.method])))(response, message);
      });
    };
    const server = createServer(serve).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    return call({ transport: { kind: 'streamable_http', url }, headers: {} }, timeoutMs);
  };
  const overStdio = (how: string, timeoutMs: number, seed = 0): Promise<unknown> =>
    call(
      {
        transport: { kind: 'stdio', command: process.execPath, args: ['-e', PROGRAM, how, String(seed)] },
        headers: {},
      },
      timeoutMs,
    );

  beforeAll(() => {
    memory = new MemoryPeak();
    egress = new EgressClient({ allow: ['127.0.0.1/32'] });
    mcp = new McpServers(egress, systemClock, [process.execPath]);
    const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const http = Object.entries(CASES).map(
      ([name, [method, act]]) => [name, () => failure(overHttp(method, act, 5_000))] as const,
    );
    const stdio = PROGRAMS.map(
      (how) => [`stdio: ${how}`, () => failure(overStdio(how, FLOODS.includes(how) ? 60_000 : 5_000))] as const,
    );
    const seeded = SEEDS.flatMap((seed) => [
      [`seed ${seed}`, () => failure(mutatedServer(seed))] as const,
      [`stdio: seed ${seed}`, () => failure(overStdio('friendly', 3_000, seed))] as const,
    ]);
    outcomes = startCases<unknown>(Object.fromEntries([...http, ...stdio, ...seeded]));
  });
  afterAll(async () => {
    memory.stop();
    await mcp.beforeApplicationShutdown();
    await egress.onApplicationShutdown();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  it.each([...Object.keys(CASES), ...PROGRAMS.map((how) => `stdio: ${how}`)])(
    'that sends %s fails the call',
    async (name) => {
      const outcome = (await outcomes.get(name)) as Error;
      expect([outcome.name, outcome.message]).toEqual(['McpError', expect.any(String)]);
      expect(outcome.message.length).toBeLessThan(2_000);
    },
  );

  it.each(FLOODS)('whose program writes %s without an end is killed beyond the limit', async (how) => {
    expect(((await outcomes.get(`stdio: ${how}`)) as Error).message).toContain('wrote more than 8 MiB');
  });

  it.each(SEEDS.flatMap((seed) => [`seed ${seed}`, `stdio: seed ${seed}`]))(
    'whose answers are mutated answers the call or fails it: %s',
    async (name) => {
      const outcome = await outcomes.get(name);
      if (!(outcome instanceof Error)) return expect(outcome).toMatchObject({ content: expect.any(Array) });
      expect(outcome.name).toBe('McpError');
      expect(outcome.message.length).toBeLessThan(2_000);
    },
  );

  it('does not make the process grow', async () => {
    await Promise.all(outcomes.values());
    expect(memory.growthMegabytes()).toBeLessThan(MAX_GROWTH);
  });

  it('that sends 1,000,000 icons when it connects can still be called', async () => {
    const greeting = { ...RESULTS.initialize, serverInfo: { name: 'x', version: '1', icons: [] } };
    const text = JSON.stringify(greeting).replace('"icons":[]', `"icons":[${empty(1_000_000)}]`);
    const act = sends(JSON_TYPE, (message) => answered(message, text));
    expect(await overHttp('initialize', act, 60_000)).toMatchObject({ isError: false });
  });

  it('(a server that is not hostile answers the call)', async () => {
    const seen = { isError: false, content: [{ type: 'text', text: 'seen' }] };
    expect(await overHttp('nothing', () => undefined, 60_000)).toMatchObject(seen);
    expect(await overStdio('friendly', 60_000)).toMatchObject(seen);
  });
});
