import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../../test/support/eventually.js';
import { hardenHttpServer } from './http-server-limits.js';

const QUICK = {
  silenceMillis: 400,
  headersMillis: 200,
  requestMillis: 60_000,
  checkMillis: 50,
  bodyGraceMillis: 300,
  bodyBytesPerSecond: 10_000,
};
const opened: Socket[] = [];
const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n';

/** A client that keeps the connection open and records the bytes that it receives. */
class StubbornClient {
  received = '';
  readonly ended: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => socket.once('end', resolve));
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString()));
  }

  static async open(server: Server, text: string): Promise<StubbornClient> {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    opened.push(socket);
    await once(socket, 'connect');
    const client = new StubbornClient(socket);
    socket.write(text);
    return client;
  }

  /** Sends single bytes until the server closes the connection. */
  async drip(): Promise<void> {
    while (!this.socket.destroyed) {
      this.socket.write('x');
      await pause(10);
    }
  }
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

describe('the limits of the HTTP server', () => {
  let server: Server;
  let handle: Parameters<typeof createServer>[1];

  beforeEach(async () => {
    server = createServer((request, response) => handle?.(request, response));
    hardenHttpServer(server, QUICK);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    handle = (request, response) => request.resume().on('end', () => response.end('done'));
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });

  it.each([
    [
      'half of their headers',
      'GET / HTTP/1.1\r\nHost: x\r\nX-Half: ',
      /^HTTP\/1\.1 408 [^]*application\/problem\+json/,
    ],
    ['nothing', '', /^$/],
    ['what is not HTTP', 'HELLO\r\n\r\n', /^HTTP\/1\.1 400 [^]*application\/problem\+json/],
  ])('close connections that send %s, also where the client does not', async (_, text, response) => {
    const clients = await Promise.all(Array.from({ length: 40 }, () => StubbornClient.open(server, text)));
    await eventually(async () => expect(await connections(server)).toBe(0));
    await Promise.all(clients.map((client) => client.ended));
    for (const { received } of clients) expect(received).toMatch(response);
  });

  it('close connections whose body drips, with 408 and a problem', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => StubbornClient.open(server, POST)));
    await Promise.all(clients.map((client) => client.drip()));
    for (const { received } of clients) {
      expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nContent-Type: application\/problem\+json/);
      expect(JSON.parse(received.slice(received.indexOf('{')))).toMatchObject({ status: 408, code: 'invalid_request' });
    }
  });

  it('close connections whose body drips after the answer', async () => {
    handle = (_, response) => response.end('early');
    const client = await StubbornClient.open(server, POST);
    await client.drip();
    expect(client.received).toMatch(/^HTTP\/1\.1 200 [^]*early$/);
  });

  it('take a body that takes longer than that and keeps arriving', async () => {
    const client = await StubbornClient.open(server, POST);
    for (let sent = 0; sent < 100_000; sent += 5_000) {
      client.socket.write('x'.repeat(5_000));
      await pause(50);
    }
    while (!client.received.includes('done')) await once(client.socket, 'data');
    client.socket.destroy();
  });

  it('do not hold the client responsible while the service does not read', async () => {
    let proceed: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      handle = (request, response) => {
        proceed = () => void request.resume().on('end', () => response.end('done'));
        resolve();
      };
    });
    const client = await StubbornClient.open(server, `${POST}${'x'.repeat(50_000)}`);
    await asked;
    // Longer than the grace period for a body.
    await pause(1_000);
    proceed();
    client.socket.write('x'.repeat(50_000));
    while (!client.received.includes('done')) await once(client.socket, 'data');
    client.socket.destroy();
  });
});
