import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export class HostileServer {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(serve: (socket: Socket) => void): Promise<HostileServer> {
    const server = createServer({ noDelay: true });
    const hostile = new HostileServer(server);
    server.on('connection', (socket) => {
      hostile.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => hostile.sockets.delete(socket));
      serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    return hostile;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }
}

/** Sends the same bytes again and again, as fast as the peer reads, until the peer closes the connection. */
export function flood(socket: Socket, bytes: Buffer): void {
  const send = (): void => {
    while (socket.writable) if (!socket.write(bytes)) return;
  };
  socket.on('drain', send);
  send();
}

/** Sends one byte of `bytes` every 100 ms. After the last byte, starts again with the first. */
export function drip(socket: Socket, bytes: Buffer): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, at + 1));
    at = (at + 1) % bytes.length;
  }, 100);
  socket.on('close', () => clearInterval(timer));
}
