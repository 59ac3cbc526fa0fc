import type { Socket } from 'node:net';
import { mutator } from '../../../../test/support/hostile/conversation.js';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { drip, flood, HostileServer } from '../../../../test/support/hostile/hostile-server.js';
import { MemoryPeak } from '../../../../test/support/hostile/memory-peak.js';
import { mutationSeeds } from '../../../../test/support/hostile/seeds.js';
import { MailRelay } from './mail-relay.js';

/**
 * Returns a connection handler that acts like a normal relay until the client sends a command that begins with
 * `hostile`. The handler then calls `act`.
 */
const until =
  (hostile: string, act: (socket: Socket) => void) =>
  (socket: Socket): void => {
    socket.write('220 relay ready\r\n');
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (text.startsWith(hostile)) act(socket);
      else if (text.startsWith('DATA')) socket.write('354 continue\r\n');
      else if (/^(EHLO|MAIL|RCPT)/.test(text) || text.endsWith('\r\n.\r\n')) socket.write('250 fine\r\n');
    });
  };

const LONG = Buffer.alloc(65_536, 'x');
const LINES = Buffer.from('250-and more\r\n'.repeat(4_000));
const CASES: Record<string, (socket: Socket) => void> = {
  'a greeting without an end': (socket) => flood(socket, LONG),
  'a greeting of lines without an end': (socket) => flood(socket, Buffer.from('220-and more\r\n'.repeat(4_000))),
  'a greeting one byte at a time': (socket) => drip(socket, Buffer.from('220-ready ')),
  'no greeting': () => undefined,
  'another protocol': (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a line without an end to EHLO': until('EHLO', (socket) => flood(socket, LONG)),
  'lines without an end to EHLO': until('EHLO', (socket) => flood(socket, LINES)),
  'lines without an end to MAIL': until('MAIL', (socket) => flood(socket, LINES)),
  'lines without an end to DATA': until('DATA', (socket) => flood(socket, LINES)),
  'nothing to DATA': until('DATA', () => undefined),
};

const SEEDS = mutationSeeds(60);
/** Maximum memory growth of this process in MiB while six relays send endless data at the same time. */
const MAX_GROWTH = 500;
/** Returns a connection handler that acts like a normal relay, but mutates its own replies. */
const mutatedRelay =
  (seed: number) =>
  (socket: Socket): void => {
    const mutate = mutator(seed);
    const write = socket.write.bind(socket);
    socket.write = (text: string | Uint8Array): boolean => write(mutate(Buffer.from(text)));
    until('NOTHING', () => undefined)(socket);
  };

describe('a hostile mail relay', () => {
  const servers: HostileServer[] = [];
  let outcomes: Map<string, Promise<unknown>>;
  let memory: MemoryPeak;

  const send = async (serve: (socket: Socket) => void, timeoutMs: number): Promise<unknown> => {
    const server = await HostileServer.start(serve);
    servers.push(server);
    const mail = {
      from: 'a@example.com',
      to: ['b@example.com'],
      cc: [],
      subject: 'x',
      text: 'x',
      html: null,
      messageId: '<1@example.com>',
      headers: {},
    };
    const sending = { signal: new AbortController().signal, timeoutMs, onBeforeSend: () => true };
    return new MailRelay(`smtp://127.0.0.1:${server.port}`).send(mail, sending);
  };

  beforeAll(() => {
    memory = new MemoryPeak();
    const seeded = SEEDS.map((seed) => [`seed ${seed}`, mutatedRelay(seed)] as const);
    const started = [...Object.entries(CASES), ...seeded].map(([name, serve]) => {
      return [name, (): Promise<unknown> => send(serve, 3_000).catch((error: unknown) => error)] as const;
    });
    outcomes = startCases<unknown>(Object.fromEntries(started));
  });
  afterAll(async () => {
    memory.stop();
    await Promise.all(servers.map((server) => server.stop()));
  });

  it.each(Object.keys(CASES))('that sends %s fails the mail', async (name) => {
    const outcome = (await outcomes.get(name)) as Error;
    expect(['EgressError', 'MailRefused']).toContain(outcome.name);
    expect(outcome.message.length).toBeLessThan(1_500);
    if (name.includes('without an end')) expect(outcome.message).toContain('maximum allowed size');
  });

  it.each(SEEDS)('whose replies are mutated accepts the mail or fails it: seed %i', async (seed) => {
    const outcome = await outcomes.get(`seed ${seed}`);
    if (!(outcome instanceof Error)) return expect(outcome).toMatchObject({ accepted: expect.any(Array) });
    expect(['EgressError', 'MailRefused']).toContain(outcome.name);
    expect(outcome.message.length).toBeLessThan(1_500);
  });

  it('does not make the process grow', async () => {
    await Promise.all(outcomes.values());
    expect(memory.growthMegabytes()).toBeLessThan(MAX_GROWTH);
  });

  it('(a relay that is not hostile accepts the mail)', async () => {
    const friendly = until('NOTHING', () => undefined);
    expect(await send(friendly, 60_000)).toMatchObject({ accepted: ['b@example.com'] });
  });
});
