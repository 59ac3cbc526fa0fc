import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelProvider } from '@app/platform/models';
import { EgressClient, egressFetch } from '@app/platform/egress';
import { mutator } from '../../../../test/support/hostile/conversation.js';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { MemoryPeak } from '../../../../test/support/hostile/memory-peak.js';
import { mutationSeeds } from '../../../../test/support/hostile/seeds.js';
import { anthropicEvents, openaiEvents } from '../../../../test/support/model-wire.js';
import { responsesEvents } from '../../../../test/support/responses-wire.js';
import { askModel } from './model-turns.service.js';
import { turnFailure } from './turn-failure.js';
import { WatchedFetch } from './watched-fetch.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';

type Protocol = Pick<ModelProvider, 'type' | 'api'>;
type Serve = (response: ServerResponse) => void;

const SSE = 'text/event-stream';
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Maximum growth of this process's memory in MiB, while six providers send 2 MiB each at the same time. */
const MAX_GROWTH = 500;
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  'openai chat': { type: 'openai', api: 'chat' },
  'openai responses': { type: 'openai', api: 'responses' },
  'openai-compatible': { type: 'openai-compatible', api: null },
  anthropic: { type: 'anthropic', api: null },
};
const EVENTS: Readonly<Record<string, typeof openaiEvents>> = {
  anthropic: anthropicEvents,
  'openai responses': responsesEvents,
};
const NAMES = Object.keys(PROTOCOLS);
const SEEDS = mutationSeeds(40);

function floodsBody(response: ServerResponse, bytes: string): void {
  const more = (): void => {
    while (!response.destroyed) if (!response.write(bytes)) return;
  };
  response.on('drain', more);
  more();
}

const floods =
  (bytes: string, type = SSE): Serve =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    floodsBody(response, bytes);
  };
const sends =
  (text: string, type = SSE): Serve =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);
const wrong = (count: number): string => Array<string>(count).fill('1').join();
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const CASES: Record<string, Serve> = {
  'a line without an end': floods('x'.repeat(65_536)),
  'an event without an end': floods(`data: ${'x'.repeat(65_536)}\n`),
  'the text of one event without an end': (response) => {
    response.writeHead(200, { 'content-type': SSE }).write('data: {"choices":[{"delta":{"content":"');
    floodsBody(response, 'x'.repeat(65_536));
  },
  'comments without an end': floods(':\n\n'.repeat(20_000)),
  'events without a value, without an end': floods('data: {}\n\n'.repeat(6_000)),
  'an event of 750,000 wrong values': sends(`data: {"type":"message_start","message":1,"choices":[${wrong(750_000)}]}\n\n`),
  'an event of 150,000 wrong values on lines of their own': sends(`data: {"choices":[\n${'data: 1,\r\n'.repeat(150_000)}data: 1]}\n\n`),
  'a whole answer of 750,000 wrong values': sends(`{"choices":[${wrong(750_000)}],"content":[]}`, 'application/json'),
  'an event of 1,000,000 levels': sends(`data: {"choices":${nested(1_000_000)}}\n\n`),
}; // prettier-ignore

describe('a hostile model provider', () => {
  const servers: Server[] = [];
  let egress: EgressClient;
  let memory: MemoryPeak;
  let outcomes: Map<string, Promise<unknown>>;

  const take = async (protocol: string, serve: Serve): Promise<unknown> => {
    const server = createServer((request, response) => void request.resume().on('end', () => serve(response)));
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = aModelProvider({ ...PROTOCOLS[protocol]!, baseUrl, apiKey: 'key' });
    const limits = { timeoutMs: 300_000, headersTimeoutMs: 300_000, maxResponseBytes: MAX_ANSWER_BYTES };
    const network = new WatchedFetch(egressFetch(egress, limits), provider);
    const call = { params: {}, signal: new AbortController().signal };
    const prompt = { system: 'x', messages: [{ role: 'user' as const, text: 'x' }], tools: [], mayCallTools: false };
    try {
      return await askModel({ provider, name: 'm', fetch: network.fetch }, call, prompt, () => undefined);
    } catch (error) {
      return turnFailure('theirs', network.failure ?? error, 0);
    }
  };
  const mutatedProvider =
    (protocol: string, seed: number): Serve =>
    (response) => {
      const mutate = mutator(seed);
      const turn = { text: 'hello, world', calls: [{ name: 'look', input: { a: 1 } }] };
      const events = (EVENTS[protocol] ?? openaiEvents)('m', turn);
      sends(events.map((event) => mutate(Buffer.from(event)).toString('latin1')).join(''))(response);
    };

  beforeAll(() => {
    egress = new EgressClient({ allow: ['127.0.0.1/32'] });
    memory = new MemoryPeak();
    const hostile = NAMES.flatMap((protocol) =>
      Object.entries(CASES).map(([name, serve]) => [`${protocol}: ${name}`, () => take(protocol, serve)] as const),
    );
    const seeded = NAMES.flatMap((protocol) =>
      SEEDS.map(
        (seed) => [`${protocol}: seed ${seed}`, () => take(protocol, mutatedProvider(protocol, seed))] as const,
      ),
    );
    outcomes = startCases<unknown>(Object.fromEntries([...hostile, ...seeded]));
  });
  afterAll(async () => {
    memory.stop();
    await egress.onApplicationShutdown();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  it.each(NAMES.flatMap((protocol) => Object.keys(CASES).map((name) => `${protocol}: ${name}`)))(
    'fails the turn: %s',
    async (name) => {
      const failure = (await outcomes.get(name)) as { code: string; message: string };
      expect(failure).toMatchObject({ code: 'provider_error', message: expect.any(String) });
      expect(failure.message.length).toBeLessThan(1_000);
    },
  );

  it.each(NAMES.flatMap((protocol) => SEEDS.map((seed) => `${protocol}: seed ${seed}`)))(
    'whose events are mutated gives a turn or fails it: %s',
    async (name) => {
      const outcome = (await outcomes.get(name)) as { code?: string; message?: string; text?: string };
      if (outcome.code === undefined) return expect(typeof outcome.text).toBe('string');
      expect(outcome.code).toMatch(/^provider_|^timeout$/);
      expect(outcome.message?.length).toBeLessThan(1_000);
    },
  );

  it('does not make the process grow', async () => {
    await Promise.all(outcomes.values());
    expect(memory.growthMegabytes()).toBeLessThan(MAX_GROWTH);
  });
});
