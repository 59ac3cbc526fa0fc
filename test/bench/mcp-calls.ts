import type { Service, ServiceScenario } from './bench.js';
import { benchAgent, RUN_INPUT, TOOL_ANSWER, TOOL_PATH } from './bench-agents.js';
import { quantile } from './figures.js';
import { type Post, requestBytes, SingleConnection } from './http-load.js';
import { startRequest } from './throughput.js';

const RUNS = 100;
const WARM_UP = 10;
const REVISION = '2026-07-28';
const TOOL = 'called';

/**
 * Starts one run at a time on an idle service, by the API and as a tool of the MCP server in turns. Both answers wait
 * for the end of the run. The figure is what the protocol adds.
 */
export const mcpCalls: ServiceScenario = {
  name: 'mcp-calls',
  async run({ repetitions, divisor, figures }, service): Promise<void> {
    service.ledger.always(TOOL_PATH, { body: TOOL_ANSWER });
    const agent = await service.stack.client.createAgent({
      ...benchAgent('four-step', service.ledger.url),
      name: TOOL,
      description: 'Is called.',
      expose: { mcp: {} },
    });
    const byApi = startRequest(service, agent);
    const requests = [
      requestBytes({ ...byApi, headers: { ...byApi.headers, prefer: 'wait=30' } }),
      requestBytes(callRequest(service)),
    ] as const;
    const connection = await SingleConnection.open(service.stack.baseUrl);
    try {
      await inTurns(connection, requests, WARM_UP);
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const [api, call] = await inTurns(connection, requests, RUNS / divisor);
        const add = (name: string, value: number): void =>
          figures.add('mcp-calls', service.queue, `${name}, p50`, 'ms', value);
        add('POST to ended run', api);
        add('tools/call to ended run', call);
        add('added by a call', call - api);
      }
    } finally {
      connection.close();
    }
  },
};

function callRequest({ stack: { baseUrl, adminKey } }: Pick<Service, 'stack'>): Post {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: TOOL, arguments: RUN_INPUT, _meta };
  return {
    url: `${baseUrl}/v1/mcp`,
    headers: {
      authorization: `Bearer ${adminKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': TOOL,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

/** Returns the median time of each of both requests, in milliseconds. */
async function inTurns(
  connection: SingleConnection,
  requests: readonly [Buffer, Buffer],
  rounds: number,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const index of [0, 1] as const) {
      const started = performance.now();
      const { status, body } = await connection.send(requests[index]);
      times[index].push(performance.now() - started);
      if (status !== 200 || !body.includes('succeeded')) throw new Error(`A run did not succeed: ${status} ${body}`);
    }
  }
  const medianOf = (values: number[]): number =>
    quantile(
      [...values].sort((a, b) => a - b),
      0.5,
    );
  return [medianOf(times[0]), medianOf(times[1])];
}
