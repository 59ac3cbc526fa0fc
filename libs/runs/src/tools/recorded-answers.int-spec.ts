import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compileDefinition } from '@app/definition';
import { type JsonObject, type JsonValue, MAX_JSON_VALUES } from '@app/kernel';
import { McpTestServer } from '../../../../test/support/mcp-test-server.js';
import { someTools } from '../../../../test/support/mcp-tools.mjs';
import { ToolBench } from '../testing/tool-bench.js';

describe.each([4_096, 4_194_304])('an answer where MAX_RECORDED_BYTES is %i', (limit) => {
  let http: Server;
  let mcp: McpTestServer;
  let bench: ToolBench;
  let text = '';
  let type = 'text/plain';

  beforeAll(async () => {
    http = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(text));
    await once(http.listen(0, '127.0.0.1'), 'listening');
    mcp = await McpTestServer.start();
    mcp.answer = () => ({ content: [{ type: 'text', text }] });
    const allowed = `127.0.0.1/32:${(http.address() as AddressInfo).port},${mcp.egressEntry}`;
    bench = await ToolBench.start({ EGRESS_ALLOW: allowed, MAX_RECORDED_BYTES: String(limit) });
  });

  afterAll(async () => {
    await bench.close();
    await mcp.close();
    http.close();
    await once(http, 'close');
  });

  const ways: Record<'http' | 'mcp', () => Promise<JsonValue>> = {
    http: async () => {
      const base_url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
      const operations = [{ name: 'op', method: 'GET', path: '/' }];
      return outputOf(await bench.call([{ name: 't', type: 'http', base_url, operations }], 't.op', {}));
    },
    mcp: async () => {
      const tool = { name: 't', type: 'mcp', transport: 'streamable_http', url: mcp.url, include: ['look_up'] };
      const request = someTools().find(({ name }) => name === 'look_up')?.inputSchema as JsonObject;
      const operations = { look_up: { description: null, request, readsOnly: true, http: null } };
      const definition = compileDefinition({ name: 'a', tools: [tool], steps: [] }, { t: { operations } });
      return outputOf(await bench.callOf(definition, 't.look_up', { text: '' }));
    },
  };

  it.each(['http', 'mcp'] as const)(
    'is recorded as it is up to there over %s, and beyond it as its beginning',
    async (kind) => {
      // The size of a text from an MCP tool is measured as JSON, which adds two quotes.
      const most = kind === 'mcp' ? limit - 2 : limit;
      text = 'x'.repeat(most);
      expect(await ways[kind]()).toBe(text);
      text += 'x';
      const beginning = { truncated: true, bytes: limit + 1, text: expect.stringMatching(/^"?x+$/) };
      expect(await ways[kind]()).toMatchObject(beginning);
    },
  );

  it('is recorded as its beginning if it has too many items', async () => {
    type = 'application/json';
    const list = (length: number): string => `[${new Array(length).fill(0).join(',')}]`;
    text = list(Math.min(MAX_JSON_VALUES, limit / 2 - 1));
    expect(await ways.http()).toHaveLength((text.length - 1) / 2);
    text = list(MAX_JSON_VALUES + 1);
    expect(await ways.http()).toMatchObject({
      truncated: true,
      bytes: text.length,
      text: expect.stringMatching(/^\[0,0/),
    });
    type = 'text/plain';
  });
});

function outputOf(result: object): JsonValue {
  expect(result).toMatchObject({ kind: 'answered' });
  return 'output' in result ? (result.output as JsonValue) : null;
}
