import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { builtPrograms } from '../../../../../test/support/built-program.js';
import { mutator } from '../../../../../test/support/hostile/conversation.js';
import { startCases } from '../../../../../test/support/hostile/hostile-cases.js';
import { drip, flood } from '../../../../../test/support/hostile/hostile-server.js';
import { mutationSeeds } from '../../../../../test/support/hostile/seeds.js';
import { SELF_SIGNED } from '../../../../../test/support/mail/mail-sender.js';
import { HostGuard } from '@app/platform/egress';
import { ImapFolder } from './imap-folder.js';

type Serve = (socket: TLSSocket) => void;

/** Creates a server that sends a greeting and passes each command to `answer`. */
const commands =
  (answer: (socket: TLSSocket, tag: string, command: string) => void): Serve =>
  (socket) => {
    socket.write('* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n');
    socket.on('data', (chunk) => {
      for (const text of chunk.toString('latin1').split('\r\n').filter(Boolean)) {
        const [tag = '', ...rest] = text.split(' ');
        answer(socket, tag, rest.join(' ').toUpperCase());
      }
    });
  };

/** Creates a server that behaves normally until a command begins with `hostile`, and then calls `act`. */
const until = (hostile: string, act: (socket: TLSSocket, tag: string) => void): Serve =>
  commands((socket, tag, command) => {
    if (command.startsWith(hostile)) return act(socket, tag);
    if (command.startsWith('CAPABILITY')) socket.write('* CAPABILITY IMAP4rev1 IDLE\r\n');
    if (/^(EXAMINE|SELECT)/.test(command))
      socket.write('* FLAGS ()\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 2] ok\r\n');
    if (/^LIST/.test(command)) socket.write('* LIST () "/" INBOX\r\n');
    if (/^UID SEARCH/.test(command)) socket.write('* SEARCH 1\r\n');
    if (/^UID FETCH/.test(command)) socket.write('* 1 FETCH (UID 1 BODY[]<0> {5}\r\nhello RFC822.SIZE 5)\r\n');
    socket.write(`${tag} OK done\r\n`);
  });

async function textOf(content: AsyncIterable<Buffer> | undefined): Promise<string> {
  let text = '';
  for await (const window of content ?? []) text += window.toString('latin1');
  return text;
}

const LONG = Buffer.alloc(65_536, 'x');
const writes =
  (text: string) =>
  (socket: TLSSocket, tag: string): void =>
    void socket.write(text.replaceAll('TAG', tag));

const CASES: Record<string, Serve> = {
  'a greeting that is none': (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a greeting without an end': (socket) => flood(socket, LONG),
  'one byte at a time': (socket) => drip(socket, Buffer.from('* OK ready ')),
  'no greeting': () => undefined,
  'BYE again and again': (socket) => flood(socket, Buffer.from('* BYE go\r\n'.repeat(1_000))),
  'a literal of 4 GB at login': until('LOGIN', writes('* OK {4294967295}\r\nx')),
  'untagged answers without an end at login': until('LOGIN', (socket) => flood(socket, Buffer.from('* 5 EXISTS\r\n'.repeat(1_000)))),
  '100,000 nested parentheses': until('UID SEARCH', writes(`* SEARCH ${'('.repeat(100_000)}${')'.repeat(100_000)}\r\n`)),
  'a search with a literal of 4 GB': until('UID SEARCH', writes('* SEARCH {4294967295}\r\nx')),
  'a line without an end': until('UID SEARCH', (socket) => flood(socket, LONG)),
  'uids without an end': until('UID SEARCH', (socket) => flood(socket, Buffer.from(`* SEARCH ${'7 '.repeat(5_000)}\r\n`))),
  'a mail without an end': until('UID FETCH', (socket) => {
    socket.write('* 1 FETCH (UID 1 BODY[]<0> {1000000000}\r\n');
    flood(socket, LONG);
  }),
  'fetched mails without an end': until('UID FETCH', (socket) => flood(socket, Buffer.from('* 1 FETCH (UID 1 BODY[]<0> {5}\r\nhello)\r\n'.repeat(1_000)))),
  'no answer to a fetch': until('UID FETCH', () => undefined),
}; // prettier-ignore

const SEEDS = mutationSeeds(40);
/** Creates a server that behaves normally, but whose responses are mutated. */
const mutatedServer =
  (seed: number): Serve =>
  (socket) => {
    const mutate = mutator(seed);
    const write = socket.write.bind(socket);
    socket.write = (text: string | Uint8Array): boolean => write(mutate(Buffer.from(text)));
    until('NOTHING', () => undefined)(socket);
  };

describe('a hostile IMAP server', () => {
  let outcomes: Map<string, Promise<unknown>>;
  const servers: Server[] = [];
  const { NODE_EXTRA_CA_CERTS: before } = process.env;

  /** Reads the mails of a folder. The folders of one workspace share a process. */
  const read = async (serve: Serve, workspace: string, millis = 3_000): Promise<string[]> => {
    const cert = readFileSync(SELF_SIGNED.SMTP_TLS_CERT);
    const key = readFileSync(SELF_SIGNED.SMTP_TLS_KEY);
    const server = createServer({ cert, key }, (socket) => serve(socket.on('error', () => undefined)));
    servers.push(server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const login = {
      host: 'localhost',
      port,
      security: 'tls',
      user: 'ada',
      password: 'right',
      folder: 'INBOX',
    } as const;
    const folder = await ImapFolder.open(login, new HostGuard(['127.0.0.1/32', '::1/128']), workspace, {
      ...builtPrograms('libs/triggers/src/email/imap/imap-process'),
      largest: 1024 * 1024,
      openMillis: millis,
      callMillis: millis,
      blockedMillis: millis,
      heapMegabytes: 96,
      memoryMegabytes: 320,
    });
    try {
      const mails: string[] = [];
      for (const uid of await folder.uidsAfter(0)) mails.push(await textOf(await folder.read(uid)));
      return mails;
    } finally {
      folder.close();
    }
  };

  beforeAll(() => {
    process.env.NODE_EXTRA_CA_CERTS = SELF_SIGNED.SMTP_TLS_CERT;
    const seeded = SEEDS.map((seed) => [`seed ${seed}`, mutatedServer(seed)] as const);
    const started = [...Object.entries(CASES), ...seeded].map(([name, serve]) => {
      const outcome = (): Promise<unknown> => read(serve, name).catch((error: unknown) => error);
      return [name, outcome] as const;
    });
    outcomes = startCases<unknown>(Object.fromEntries(started));
  });
  afterAll(() => {
    if (before === undefined) delete process.env.NODE_EXTRA_CA_CERTS;
    else process.env.NODE_EXTRA_CA_CERTS = before;
    for (const server of servers) server.close().unref();
  });

  it.each(Object.keys(CASES))('that sends %s fails the reading', async (name) => {
    const outcome = await outcomes.get(name);
    expect(outcome).toBeInstanceOf(Error);
    expect((outcome as Error).message.length).toBeLessThan(1_500);
    expect((outcome as Error).message).not.toContain('right');
  });

  it.each(SEEDS)('whose answers are mutated fails the reading or gives mails: seed %i', async (seed) => {
    const outcome = await outcomes.get(`seed ${seed}`);
    if (Array.isArray(outcome)) return;
    expect(outcome).toBeInstanceOf(Error);
    expect((outcome as Error).message.length).toBeLessThan(1_500);
    expect((outcome as Error).message).not.toContain('right');
  });

  it('(one that is not hostile gives its mails)', async () => {
    expect(
      await read(
        until('NOTHING', () => undefined),
        'friendly',
        60_000,
      ),
    ).toEqual(['hello']);
  });

  it('ends the connections of its own workspace only', async () => {
    const good = until('NOTHING', () => undefined);
    const hostile = read(CASES['a mail without an end']!, 'first').catch((error: unknown) => error);
    expect(await Promise.all([hostile, read(good, 'second', 60_000)])).toEqual([expect.any(Error), ['hello']]);
  });
});
