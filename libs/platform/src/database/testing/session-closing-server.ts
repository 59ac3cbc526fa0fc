import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const message = (type: string, body: Buffer): Buffer => {
  const header = Buffer.alloc(5);
  header.write(type, 0);
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const ENDED = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

/**
 * A server with the Postgres protocol. It ends every session at once: the packet that reports the session as ready also
 * contains a fatal error.
 */
export class SessionClosingServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<SessionClosingServer> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED])));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null)
      throw new Error('The test server listens, but has no TCP port.');
    return new SessionClosingServer(server, `postgres://postgres@127.0.0.1:${address.port}/none`);
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}
