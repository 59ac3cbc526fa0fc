import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

const TRICKLE_EVERY_MS = 100;
const GIGABYTE = 1024 ** 3;
const PIECE = Buffer.alloc(64 * 1024, 'x');

/** How a receiver handles a connection after it has received the request. */
type Behaviour = (socket: Socket) => void;

function trickle(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
  const timer = setInterval(() => socket.write('x'), TRICKLE_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
}

function flood(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${GIGABYTE}\r\n\r\n`);
  const pour = (): void => {
    while (!socket.destroyed && socket.write(PIECE));
  };
  socket.on('drain', pour);
  pour();
}

const answer =
  (head: string): Behaviour =>
  (socket) =>
    void socket.write(`HTTP/1.1 ${head}\r\ncontent-length: 0\r\n\r\n`);

export const BEHAVIOURS = {
  hanging: () => undefined,
  trickling: trickle,
  resetting: (socket) => void socket.resetAndDestroy(),
  redirecting: (socket) => answer('301 Moved Permanently\r\nlocation: http://127.0.0.1:1/inside')(socket),
  flooding: flood,
  gone: answer('410 Gone'),
  limiting: answer('429 Too Many Requests\r\nretry-after: 60'),
} satisfies Record<string, Behaviour>;

export type HostileName = keyof typeof BEHAVIOURS;

export class HostileReceivers {
  private readonly sockets = new Set<Socket>();
  readonly requests = new Map<HostileName, number>();

  private constructor(private readonly servers: ReadonlyMap<HostileName, Server>) {}

  static async start(): Promise<HostileReceivers> {
    const servers = new Map<HostileName, Server>();
    const receivers = new HostileReceivers(servers);
    for (const name of Object.keys(BEHAVIOURS) as HostileName[]) {
      const server = createServer((socket) => receivers.receive(name, socket)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.set(name, server);
    }
    return receivers;
  }

  url(name: HostileName): string {
    const address = this.servers.get(name)?.address();
    if (typeof address !== 'object' || !address) throw new Error(`There is no receiver ${name}.`);
    return `http://127.0.0.1:${address.port}/`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    for (const server of this.servers.values()) {
      server.close();
      await once(server, 'close');
    }
  }

  private receive(name: HostileName, socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      if (!data.includes('POST / HTTP/1.1')) return;
      this.requests.set(name, (this.requests.get(name) ?? 0) + 1);
      BEHAVIOURS[name](socket);
    });
  }
}
