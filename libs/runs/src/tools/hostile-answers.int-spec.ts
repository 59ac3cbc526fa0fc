import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compileDefinition, describeOpenapi, includedOperation, OpenapiDocument } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { ToolBench } from '../testing/tool-bench.js';
import type { ToolCallResult } from '../calls/tool-call.js';

const HUGE = 100 * 1024 * 1024;
/** The metadata endpoint of cloud servers. It returns credentials, so calls must not reach it. */
const METADATA = 'http://169.254.169.254/latest/meta-data/';

async function pour(response: ServerResponse): Promise<number> {
  const closed = once(response, 'close');
  const chunk = Buffer.alloc(256 * 1024, 'x');
  let sent = 0;
  for (; sent < HUGE && !response.destroyed; sent += chunk.length)
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed]);
  response.end();
  return sent;
}

const document = (url: string): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'x', version: '1' },
  servers: [{ url }],
  paths: {
    '/huge': { get: { operationId: 'read_huge' }, post: { operationId: 'write_huge' } },
    '/away': { get: { operationId: 'read_away' }, post: { operationId: 'write_away' } },
  },
});

const INCLUDE = ['read_huge', 'write_huge', 'read_away', 'write_away'];
const operation = (name: string): JsonObject => {
  const [verb, place] = name.split('_');
  return { name, method: verb === 'read' ? 'GET' : 'POST', path: `/${place}` };
};

describe('a hostile answer', () => {
  let server: Server;
  let bench: ToolBench;
  let url: string;
  const seen: string[] = [];
  let poured: Promise<number>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url?.startsWith('/huge')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        poured = pour(response);
      } else response.writeHead(307, { location: METADATA }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    bench = await ToolBench.start({ EGRESS_ALLOW: `127.0.0.1/32:${port}` });
  });

  afterAll(async () => {
    await bench.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  beforeEach(() => void (seen.length = 0));

  const ways: Record<'http' | 'openapi' | 'mcp', (name: string) => Promise<ToolCallResult>> = {
    http: (name) =>
      bench.call([{ name: 't', type: 'http', base_url: url, operations: INCLUDE.map(operation) }], `t.${name}`, {}),
    openapi: (name) => {
      const spec = { url: `${url}/x.json`, sha256: createHash('sha256').update('x').digest('hex') };
      const source = { tool: 't', include: INCLUDE.map(includedOperation), url, hasBaseUrl: false };
      const { description } = describeOpenapi(OpenapiDocument.read(JSON.stringify(document(url))), source);
      const tools = [{ name: 't', type: 'openapi', spec, include: INCLUDE }];
      const definition = compileDefinition({ name: 'a', tools, steps: [] }, { t: description });
      return bench.callOf(definition, `t.${name}`, {});
    },
    mcp: (name) => {
      const [verb, place] = name.split('_');
      const tool = {
        name: 't',
        type: 'mcp',
        transport: 'streamable_http',
        url: `${url}/${place}`,
        include: ['op'],
        overrides: { op: { scope: verb ?? 'read' } },
      };
      const described = {
        operations: { op: { description: null, request: { type: 'object' }, readsOnly: false, http: null } },
      };
      return bench.callOf(compileDefinition({ name: 'a', tools: [tool], steps: [] }, { t: described }), 't.op', {});
    },
  };
  const kinds = ['http', 'openapi', 'mcp'] as const;

  it.each(kinds)(
    'of 100 MB is cut off over %s',
    async (kind) => {
      const result = await ways[kind]('read_huge');
      expect(result).toMatchObject(
        kind === 'mcp' ? { kind: 'refused', code: 'tool_error' } : { kind: 'answered', output: { truncated: true } },
      );
      expect(await poured).toBeLessThan(HUGE / 2);
      expect(JSON.stringify(result).length).toBeLessThan(2 * 1024 * 1024);
    },
    60_000,
  );

  it.each(kinds)('that leads to forbidden addresses fails a read over %s', async (kind) => {
    expect(await ways[kind]('read_away')).toMatchObject({ kind: 'refused', code: 'tool_error' });
  });

  it.each(kinds)('that leads elsewhere is not followed by a write over %s', async (kind) => {
    const result = await ways[kind]('write_away');
    expect(result).toMatchObject({ kind: 'refused', code: 'tool_error' });
    // An MCP client asks for the revisions of the server, and then begins a session of an older revision.
    const attempts = kind === 'mcp' ? 2 : 1;
    expect(seen.filter((line) => line.startsWith('POST'))).toEqual(Array(attempts).fill('POST /away'));
  });
});
