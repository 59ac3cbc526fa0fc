import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';

const SSL_REQUEST = 80_877_103;
const [SYNC, QUERY, TERMINATE, READY] = [0x53, 0x51, 0x58, 0x5a];
const IDLE = 0x49;

const message = (type: string, body: Buffer): Buffer => {
  const header = Buffer.alloc(5);
  header.write(type, 0);
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};

const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', Buffer.from([0x7f, 1, 2, 3, 4, 5, 6, 7])),
  message('Z', Buffer.from('I')),
]);

interface Session {
  client: Client;
  socket: Socket;
}

/** Returns the complete messages in `data`, and the remaining bytes. */
function messagesOf(data: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (data.length - at >= 5 && data.length - at >= data.readInt32BE(at + 1) + 1) {
    const end = at + data.readInt32BE(at + 1) + 1;
    messages.push(data.subarray(at, end));
    at = end;
  }
  return { messages, rest: data.subarray(at) };
}

/**
 * A connection pooler in transaction mode. Like PgBouncer before 1.21, it does not support prepared statements: it
 * forwards messages unchanged. It assigns each transaction to the session that was released last.
 */
export class TransactionPooler {
  private readonly clients = new Set<Socket>();
  private readonly waiting: ((session: Session) => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly free: Session[],
    private readonly sessions: readonly Session[],
    readonly url: string,
  ) {}

  static async start(databaseUrl: string, size: number): Promise<TransactionPooler> {
    const sessions = await Promise.all(Array.from({ length: size }, () => logIn(databaseUrl)));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('There is no free port.');
    const url = `postgres://any:any@127.0.0.1:${address.port}${new URL(databaseUrl).pathname}`;
    const pooler = new TransactionPooler(server, [...sessions], sessions, url);
    server.on('connection', (socket) => pooler.welcome(socket));
    return pooler;
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.destroy();
    for (const { socket } of this.sessions) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private welcome(socket: Socket): void {
    this.clients.add(socket);
    socket.on('error', () => undefined).once('close', () => this.clients.delete(socket));
    const greet = (data: Buffer): void => {
      if (data.readInt32BE(4) === SSL_REQUEST) return void socket.write('N');
      socket.off('data', greet);
      socket.write(WELCOME);
      this.serve(socket);
    };
    socket.on('data', greet);
  }

  private serve(socket: Socket): void {
    let unread: Buffer = Buffer.alloc(0);
    let turn: Promise<void> = Promise.resolve();
    socket.on('data', (data: Buffer) => {
      const { messages, rest } = messagesOf(Buffer.concat([unread, data]));
      unread = rest;
      const sent = messages.filter(([type]) => type !== TERMINATE);
      if (sent.length > 0) turn = turn.then(() => serveNext(sent));
    });
    let held: Session | undefined;
    const serveNext = async (sent: readonly Buffer[]): Promise<void> => {
      held ??= await this.obtain();
      if (!(await pass(socket, held, sent))) return;
      this.giveBack(held);
      held = undefined;
    };
  }

  private async obtain(): Promise<Session> {
    return this.free.pop() ?? new Promise((resolve) => this.waiting.push(resolve));
  }

  private giveBack(session: Session): void {
    const next = this.waiting.shift();
    if (next) next(session);
    else this.free.push(session);
  }
}

async function logIn(url: string): Promise<Session> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as Client & { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  return { client, socket: stream };
}

/**
 * Sends the messages to Postgres and forwards the responses to the client. Resolves when all responses have arrived.
 * The result is true if the session has no open transaction.
 */
async function pass(socket: Socket, { socket: session }: Session, messages: readonly Buffer[]): Promise<boolean> {
  let owed = messages.filter(([type]) => type === SYNC || type === QUERY).length;
  let unread: Buffer = Buffer.alloc(0);
  return new Promise((resolve) => {
    const answer = (data: Buffer): void => {
      socket.write(data);
      const { messages: answers, rest } = messagesOf(Buffer.concat([unread, data]));
      unread = rest;
      for (const each of answers) if (each[0] === READY) owed -= 1;
      const last = answers.at(-1);
      if (owed > 0 || last?.[0] !== READY) return;
      session.off('data', answer);
      resolve(last[5] === IDLE);
    };
    session.on('data', answer);
    for (const each of messages) session.write(each);
    if (owed === 0) {
      session.off('data', answer);
      resolve(false);
    }
  });
}
