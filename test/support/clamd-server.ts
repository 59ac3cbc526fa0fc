import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const COMMAND = Buffer.from('zINSTREAM\0');

/** Speaks the command INSTREAM of clamd. Finds a virus in files that contain `EICAR`. */
export class ClamdServer {
  private constructor(
    private readonly server: Server,
    private readonly maxBytes: number,
  ) {}

  private usedPort = 0;

  static async start(maxBytes = 100_000, port = 0): Promise<ClamdServer> {
    const server = createServer();
    const clamd = new ClamdServer(server, maxBytes);
    server.on('connection', (socket) => clamd.serve(socket));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    clamd.usedPort = (server.address() as AddressInfo).port;
    return clamd;
  }

  get address(): string {
    return `clamd://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return this.usedPort;
  }

  async close(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      received = Buffer.concat([received, part]);
      const verdict = this.verdictOn(received);
      if (verdict !== undefined) socket.end(`${verdict}\0`);
    });
  }

  /** Returns undefined until the end mark, a chunk of zero bytes, has arrived. */
  private verdictOn(received: Buffer): string | undefined {
    if (received.length >= COMMAND.length && !received.subarray(0, COMMAND.length).equals(COMMAND))
      return 'UNKNOWN COMMAND';
    const content: Buffer[] = [];
    for (let at = COMMAND.length; at + 4 <= received.length;) {
      const size = received.readUInt32BE(at);
      if (size === 0) return Buffer.concat(content).includes('EICAR') ? 'stream: Eicar-Test FOUND' : 'stream: OK';
      content.push(received.subarray(at + 4, at + 4 + size));
      at += 4 + size;
    }
    return received.length > this.maxBytes ? 'INSTREAM size limit exceeded. ERROR' : undefined;
  }
}
