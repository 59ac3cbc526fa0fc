import type { Socket } from 'node:net';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { drip, flood } from '../../../../test/support/hostile/hostile-server.js';
import {
  afterGreeting,
  atSelect,
  column,
  counted,
  endOfRows,
  greeting,
  okay,
  packet,
} from '../../../../test/support/hostile/mysql-bytes.js';
import { SqlScene } from '../../../../test/support/hostile/sql-scene.js';

const sends =
  (...parts: Buffer[]) =>
  (socket: Socket): void =>
    void socket.write(Buffer.concat(parts));

/** The packets that a MySQL server sends before the rows of a result with one column. */
const ROWS_BEGIN = Buffer.concat([packet(1, Buffer.from([1])), column(2, 'id'), endOfRows(3)]);
/** A length prefix of eight bytes. It announces more bytes than any response has. */
const LONGEST = Buffer.from([0xfe, 255, 255, 255, 255, 255, 255, 255, 127]);

const GREETINGS: Record<string, (socket: Socket) => void> = {
  'a packet of length 0': sends(packet(0, Buffer.alloc(0))),
  'a greeting that breaks off': sends(packet(0, Buffer.from([10, 56]))),
  'a greeting of an unknown version': sends(packet(0, Buffer.from([99, 0, 0]))),
  'a greeting that says more than it has': sends(packet(0, greeting().subarray(4, 20))),
  'a packet of 16 MB that never comes': sends(packet(0, Buffer.from([10]), 0xff_ff_ff)),
  'a flood of packets': (socket) => flood(socket, Buffer.concat(Array<Buffer>(1_000).fill(packet(0, Buffer.from([10, 0]))))),
  'a packet that never ends': (socket) => flood(socket, Buffer.alloc(65_536, 255)),
  'one byte at a time': (socket) => drip(socket, greeting()),
  'an error without a text': sends(packet(0, Buffer.from([255]))),
  'HTTP': sends(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'nothing at all': () => undefined,
}; // prettier-ignore

const LOGINS: Record<string, (socket: Socket) => void> = {
  'an unknown authentication method': sends(packet(2, Buffer.from('\xfeno_such_method\0abc', 'latin1'))),
  'a demand for the password in clear': sends(packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1'))),
  'a method without a name': sends(packet(2, Buffer.from([0xfe]))),
  'a public key that is none': (socket) => {
    socket.write(packet(2, Buffer.from('\xfecaching_sha2_password\0abcdefghijklmnopqrst\0', 'latin1')));
    socket.on('data', () => void socket.write(packet(4, Buffer.from('\x01no key', 'latin1'))));
  },
  'more data without an end': (socket) => flood(socket, packet(2, Buffer.from([1, 3]))),
  'one byte at a time': (socket) => drip(socket, okay(2)),
  'nothing': () => undefined,
}; // prettier-ignore

const RESULTS: Record<string, (socket: Socket) => void> = {
  'a request for a local file': sends(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1'))),
  'more columns than it describes': sends(packet(1, Buffer.from([0xfc, 255, 255])), column(2, 'id'), endOfRows(3)),
  'a count of columns of eight bytes': sends(packet(1, LONGEST), column(2, 'id'), endOfRows(3)),
  'a description of a column that breaks off': sends(packet(1, Buffer.from([1])), packet(2, Buffer.from([3, 100])), endOfRows(3)),
  'a row that never ends': (socket) => {
    socket.write(ROWS_BEGIN);
    flood(socket, Buffer.concat([Buffer.from([255, 255, 255, 4]), Buffer.alloc(0xff_ff_ff, 'x')]));
  },
  'a flood of columns': (socket) => {
    socket.write(packet(1, Buffer.from([0xfd, 255, 255, 255])));
    flood(socket, Buffer.concat(Array.from({ length: 1_000 }, (_, n) => column((n + 2) % 256, `c${n}`))));
  },
  'one byte at a time': (socket) => {
    socket.write(ROWS_BEGIN);
    drip(socket, packet(4, counted('a')));
  },
  'nothing': () => undefined,
}; // prettier-ignore

/**
 * Rows that are too short. The client either accepts such a row or fails, depending on the other data that arrives at
 * the same time.
 */
const SHORT_ROWS: Readonly<Record<string, (socket: Socket) => void>> = {
  'a cell that is longer than its row': sends(ROWS_BEGIN, packet(4, Buffer.concat([LONGEST, Buffer.from('a')])), endOfRows(5)),
  'a row without its cell': sends(ROWS_BEGIN, packet(4, Buffer.alloc(0)), endOfRows(5)),
}; // prettier-ignore

describe('a hostile MySQL server fails the reading, with the service untouched, when it', () => {
  let scene: SqlScene;
  let outcomes: Map<string, Promise<unknown>>;

  const greetings = Object.entries(GREETINGS).map(([name, serve]) => [`greets with ${name}`, serve, ''] as const);
  const logins = Object.entries(LOGINS).map(
    ([name, serve]) => [`answers the login with ${name}`, afterGreeting(serve), ''] as const,
  );
  const tls = [
    ['has no TLS where the source asks for it', afterGreeting(sends(okay(2))), '?ssl-mode=REQUIRED'] as const,
  ];
  const results = Object.entries(RESULTS).map(
    ([name, serve]) => [`answers a query with ${name}`, atSelect(serve), ''] as const,
  );
  const cases = [...greetings, ...logins, ...tls, ...results];

  beforeAll(() => {
    scene = new SqlScene('mysql');
    outcomes = startCases(
      Object.fromEntries(cases.map(([name, serve, query]) => [name, () => scene.failure(serve, query)])),
    );
  });
  afterAll(() => scene.stop());

  it('(a server that is not hostile gives its rows)', async () => {
    const rows = sends(ROWS_BEGIN, packet(4, counted('a')), endOfRows(5));
    expect(await scene.read(atSelect(rows))).toEqual([{ id: 'a' }]);
  });

  it.each(Object.entries(SHORT_ROWS))('(reads %s as a row, or fails)', async (_name, serve) => {
    const answer = await scene.read(atSelect(serve)).catch((error: unknown) => error);
    if (Array.isArray(answer)) expect(answer).toHaveLength(1);
    else expect(answer).toMatchObject({ name: 'TableReadError' });
  });

  it.each(cases)('%s', async (name) => {
    const error = await outcomes.get(name);
    expect(error).toMatchObject({ name: 'TableReadError' });
    expect((error as Error).message.length).toBeLessThan(1_500);
    expect((error as Error).message).not.toContain('right');
  });
});
