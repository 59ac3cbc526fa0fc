import type { Socket } from 'node:net';
import { startCases } from '../../../../test/support/hostile/hostile-cases.js';
import { drip, flood } from '../../../../test/support/hostile/hostile-server.js';
import {
  afterLogin,
  atLogin,
  backend,
  dataRow,
  described,
  int16,
  int32,
  LOGGED_IN,
  READY,
} from '../../../../test/support/hostile/postgres-bytes.js';
import { SqlScene } from '../../../../test/support/hostile/sql-scene.js';

const DONE = Buffer.concat([backend('C', 'SELECT 1\0'), READY]);
const PARSED = Buffer.concat([backend('1'), backend('2')]);
const jsonColumn = (name: string): Buffer =>
  backend(
    'T',
    Buffer.concat([int16(1), Buffer.from(`${name}\0`), int32(0), int16(0), int32(114), int16(-1), int32(-1), int16(0)]),
  );
const NESTED = '['.repeat(200_000) + ']'.repeat(200_000);

const sends =
  (...parts: Buffer[]) =>
  (socket: Socket): void =>
    void socket.write(Buffer.concat(parts));

const LOGINS: Record<string, (socket: Socket) => void> = {
  'authentication of an unknown kind': sends(backend('R', int32(99))),
  'an authentication without a body': sends(backend('R')),
  'a message of length 0': sends(backend('R', '', 0)),
  'a message of length 3': sends(backend('S', '', 3)),
  'a message of an unknown type': sends(backend('!', 'x'), LOGGED_IN),
  'key data that is too short': sends(backend('K', int16(1)), LOGGED_IN),
  'an error without its NUL': sends(backend('E', 'SFATAL')),
  'a notice without its NUL': sends(backend('N', 'SNOTICE')),
  'an error of 8 MB': sends(backend('E', `SFATAL\0M${'x'.repeat(4_000_000)}\0\0`)),
  'a message of 2 GB': sends(backend('S', 'x', 0x7fff_ffff)),
  'a message of 4 GB': sends(backend('S', 'x', 0xffff_ffff)),
  'a flood of parameters': (socket) => flood(socket, Buffer.concat(Array<Buffer>(1_000).fill(backend('S', 'a\0b\0')))),
  'a flood of notices': (socket) =>
    flood(socket, Buffer.concat(Array<Buffer>(1_000).fill(backend('N', 'SNOTICE\0\0')))),
  'a message that never ends': (socket) => {
    socket.write(backend('S', '', 0x7fff_ffff));
    flood(socket, Buffer.alloc(65_536, 'x'));
  },
  'one byte at a time': (socket) => drip(socket, backend('S', 'name\0value\0')),
  'SASL without a mechanism': sends(backend('R', int32(10))),
  'SCRAM with 2 billion rounds': (socket) => {
    socket.write(backend('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0\0')])));
    socket.once('data', (chunk) => {
      const nonce = /r=([^,\0]+)/.exec(chunk.toString('latin1'))?.[1] ?? '';
      socket.write(backend('R', Buffer.concat([int32(11), Buffer.from(`r=${nonce}x,s=c2FsdA==,i=2000000000`)])));
    });
  },
  'no answer at all': () => undefined,
  'the end of the connection': (socket) => socket.destroy(),
  HTTP: sends(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
};
const ROWS: Record<string, (socket: Socket) => void> = {
    'a description of more columns than it has': sends(PARSED, backend('T', Buffer.concat([int16(30_000), Buffer.from('a\0')])), DONE),
    'a description of minus one column': sends(PARSED, backend('T', int16(-1)), dataRow('a'), DONE),
    'a row without a description': sends(PARSED, dataRow('a'), DONE),
    'a row of more cells than it has': sends(PARSED, described('id'), backend('D', Buffer.concat([int16(30_000), int32(1)])), DONE),
    'a cell of minus two bytes': sends(PARSED, described('id'), backend('D', Buffer.concat([int16(1), int32(-2)])), backend('D'), DONE),
    'a cell of 2 GB': sends(PARSED, described('id'), backend('D', Buffer.concat([int16(1), int32(0x7fff_ffff)])), backend('D'), DONE),
    'more rows than it was asked for': (socket) => flood(socket, Buffer.concat([PARSED, described('id'), ...Array<Buffer>(1_000).fill(dataRow('a')), DONE])),
    'rows without an end': (socket) => {
      socket.write(Buffer.concat([PARSED, described('id')]));
      flood(socket, Buffer.concat(Array<Buffer>(1_000).fill(dataRow(''))));
    },
    'a row that never ends': (socket) => {
      socket.write(Buffer.concat([PARSED, described('id'), backend('D', int16(1), 0x4000_0000)]));
      flood(socket, Buffer.alloc(65_536, 'x'));
    },
    'a COPY to the client': sends(PARSED, backend('H', Buffer.from([0, 0, 0]))),
    'a COPY from the client': sends(PARSED, backend('G', Buffer.from([0, 0, 0]))),
    'an error without its NUL': sends(PARSED, backend('E', 'SERROR')),
    'one byte at a time': (socket) => drip(socket, dataRow('a')),
    'nothing': () => undefined,
  'JSON of 200,000 levels': sends(PARSED, jsonColumn('id'), dataRow(NESTED), DONE),
  'JSON as the prototype of a row': sends(PARSED, jsonColumn('__proto__'), dataRow('{"id":1}'), DONE),
}; // prettier-ignore

const TLS_ANSWERS = ['S', 'N', 'E', 'garbage'];

describe('a hostile Postgres server fails the reading, with the service untouched, when it', () => {
  let scene: SqlScene;
  let outcomes: Map<string, Promise<unknown>>;

  const logins = Object.entries(LOGINS).map(
    ([name, serve]) => [`answers the login with ${name}`, atLogin(serve), ''] as const,
  );
  const tls = TLS_ANSWERS.map(
    (answer) =>
      [
        `answers the request for TLS with ${answer}`,
        atLogin(sends(Buffer.from(answer.repeat(200)))),
        '?sslmode=require',
      ] as const,
  );
  const rows = Object.entries(ROWS).map(
    ([name, serve]) => [`answers a query with ${name}`, afterLogin(serve), ''] as const,
  );
  const cases = [...logins, ...tls, ...rows];

  beforeAll(() => {
    scene = new SqlScene('postgres');
    outcomes = startCases(
      Object.fromEntries(cases.map(([name, serve, query]) => [name, () => scene.failure(serve, query)])),
    );
  });
  afterAll(() => scene.stop());

  it.each(cases)('%s', async (name) => {
    const error = await outcomes.get(name);
    expect(error).toMatchObject({ name: 'TableReadError' });
    expect((error as Error).message.length).toBeLessThan(1_500);
  });
});
