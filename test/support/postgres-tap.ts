import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** One database round trip: everything that the client sends before it waits for a response. */
export interface RoundTrip {
  application: string;
  statement: string;
}

const STARTUP_HEADER = 8;
const MESSAGE_HEADER = 5;

/** A transparent proxy in front of Postgres. It parses the messages of the client and counts round trips. */
export class PostgresTap {
  readonly roundTrips: RoundTrip[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async open(databaseUrl: string): Promise<PostgresTap> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PostgresTap(server, new URL(databaseUrl));
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The tap is closed.');
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(address.port);
    return url.href;
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port || 5432), noDelay: true });
    const reader = new ClientMessages((roundTrip) => this.roundTrips.push(roundTrip));
    client.on('data', (chunk) => reader.read(chunk));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

/**
 * Parses the messages of a client (Postgres protocol version 3, without TLS), and finds the round trips in them. In the
 * extended protocol, a round trip ends with the message Sync. In the simple protocol, each message Query is a round
 * trip.
 */
export class ClientMessages {
  private rest: Buffer = Buffer.alloc(0);
  private application: string | undefined;
  private statement = '';
  private readonly prepared = new Map<string, string>();

  constructor(private readonly found: (roundTrip: RoundTrip) => void) {}

  read(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (this.application === undefined ? this.readStartup() : this.readMessage());
  }

  private readStartup(): boolean {
    if (this.rest.length < STARTUP_HEADER) return false;
    const length = this.rest.readInt32BE(0);
    if (this.rest.length < length) return false;
    const fields = this.rest.toString('utf8', STARTUP_HEADER, length).split('\0');
    const at = fields.indexOf('application_name');
    this.application = at === -1 ? '' : (fields[at + 1] ?? '');
    this.rest = this.rest.subarray(length);
    return true;
  }

  private readMessage(): boolean {
    if (this.rest.length < MESSAGE_HEADER) return false;
    const length = 1 + this.rest.readInt32BE(1);
    if (this.rest.length < length) return false;
    const type = String.fromCharCode(this.rest[0] ?? 0);
    this.take(type, this.rest.subarray(MESSAGE_HEADER, length));
    this.rest = this.rest.subarray(length);
    return true;
  }

  private take(type: string, payload: Buffer): void {
    if (type === 'P') {
      const [name = '', text = ''] = payload.toString('utf8').split('\0');
      this.prepared.set(name, name === '' ? text : name);
    } else if (type === 'B') {
      const portalEnd = payload.indexOf(0) + 1;
      const name = payload.toString('utf8', portalEnd, payload.indexOf(0, portalEnd));
      this.statement = this.prepared.get(name) ?? name;
    } else if (type === 'Q') {
      this.end(payload.toString('utf8').replace(/\0$/, ''));
    } else if (type === 'S') {
      this.end(this.statement);
    }
  }

  private end(statement: string): void {
    this.found({ application: this.application ?? '', statement });
  }
}
