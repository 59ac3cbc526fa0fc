import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';

import express, { type Response } from 'express';

import { eventually } from '../../../../test/support/eventually.js';
import { EventStream, type EventStreamSettings } from './event-stream.js';

const NEVER = 600_000;

describe('an event stream', () => {
  let server: Server;
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const settings = (overrides: Partial<EventStreamSettings>): EventStreamSettings => ({
    heartbeatMillis: NEVER,
    accessCheckMillis: NEVER,
    patienceMillis: NEVER,
    mayContinue: () => Promise.resolve(true),
    ...overrides,
  });

  /** Sends a request over a real connection. `reader` is the socket of the client, which does not read yet. */
  async function request(): Promise<{ response: Response; reader: Socket }> {
    const app = express();
    const begun = new Promise<Response>((resolve) => app.get('/', (_request, response) => resolve(response)));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const reader = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1').pause();
    sockets.push(reader);
    reader.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    return { response: await begun, reader };
  }

  async function open(overrides: Partial<EventStreamSettings>): Promise<{ stream: EventStream; reader: Socket }> {
    const { response, reader } = await request();
    return { stream: new EventStream(response, settings(overrides)), reader };
  }

  const textOf = (reader: Socket): (() => string) => {
    let text = '';
    reader.on('data', (chunk) => (text += chunk.toString())).resume();
    return () => text;
  };

  const anEvent = (bytes = 10) => ({ event: 'step', id: '7', data: { text: 'x'.repeat(bytes) } });

  it('writes events in the format of the HTML standard, and when to reconnect', async () => {
    const { stream, reader } = await open({});
    const text = textOf(reader);
    await stream.send({ event: 'step', id: '7', data: { note: 'two\nlines' } });
    stream.end();
    await once(reader, 'end');
    expect(text()).toContain('retry: 2000\n\n');
    expect(text()).toContain('event: step\nid: 7\ndata: {"note":"two\\nlines"}\n\n');
  });

  it('sends keep-alives while nothing happens, and checks whether it may continue', async () => {
    const answers = [true, true, false];
    const { reader } = await open({
      heartbeatMillis: 20,
      accessCheckMillis: 20,
      mayContinue: async () => answers.shift() ?? false,
    });
    const text = textOf(reader);
    await once(reader, 'end');
    expect(text().match(/: alive\n\n/g)).toHaveLength(3);
  });

  it('takes no further event from its writer until a slow reader has read', async () => {
    const { stream, reader } = await open({});
    let sent = 0;
    const writing = (async () => {
      for (; sent < 1_000 && !stream.signal.aborted; sent++) await stream.send(anEvent(100_000));
    })();
    // The kernel buffers a few megabytes on both sides. When these buffers are full, no more bytes are sent.
    let before = -1;
    await eventually(() => {
      const moved = sent !== before;
      before = sent;
      expect(moved).toBe(false);
    });
    expect(sent).toBeLessThan(500);
    const stalled = sent;
    reader.resume();
    await eventually(() => expect(sent).toBeGreaterThan(stalled));
    stream.end();
    await writing;
  });

  it('is cut when its reader does not read for too long', async () => {
    const { stream } = await open({ patienceMillis: 100 });
    for (let sent = 0; sent < 1_000 && !stream.signal.aborted; sent++) await stream.send(anEvent(100_000));
    expect(stream.signal.aborted).toBe(true);
  });

  it('that has ended does not keep a connection for a reader that does not read', async () => {
    const { stream } = await open({ patienceMillis: 200 });
    void stream.send(anEvent(20_000_000));
    stream.end();
    await eventually(async () => expect(await connectionsOf(server)).toBe(0));
  });

  it('is over when the reader hangs up', async () => {
    const { stream, reader } = await open({});
    const over = once(stream.signal, 'abort');
    reader.destroy();
    await over;
    await expect(stream.send(anEvent())).resolves.toBeUndefined();
  });

  it('is over before it begins when the reader has hung up already', async () => {
    const { response, reader } = await request();
    const closed = once(response, 'close');
    reader.destroy();
    await closed;
    const stream = new EventStream(response, settings({}));
    expect(stream.signal.aborted).toBe(true);
    await stream.send(anEvent());
  });
});

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
