import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

import { quantile } from './figures.js';

export interface LoadRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export type Post = Omit<LoadRequest, 'method'> & { body: string };

export interface LoadResult {
  seconds: number;
  perSecond: number;
  /** Median time of a request in milliseconds, from the first byte sent to the last byte received. */
  p50: number;
  p99: number;
}

/**
 * Sends `total` requests over `connections` kept-alive connections. Each connection sends its next request as soon as
 * it has received a response. If `loads` has several requests, they are sent in turns. The driver shares the CPU cores
 * with the measured service, so it does little work: it builds the bytes of each request once, and does not parse
 * response bodies. Rejects if a response has another status than `status`.
 */
export async function sendMany(
  loads: LoadRequest | readonly LoadRequest[],
  total: number,
  connections: number,
  status: number,
): Promise<LoadResult> {
  const all = [loads].flat();
  const requests = all.map(bytesOf);
  const { url } = all[0]!;
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const latencies = new Float64Array(total);
  let sent = 0;
  const started = performance.now();
  try {
    await Promise.all(
      sockets.map(async (socket) => {
        const answers = new Answers(socket);
        while (sent < total) {
          const index = sent++;
          const begun = performance.now();
          socket.write(requests[index % requests.length]!);
          const answer = await answers.next();
          if (answer.status !== status) throw new Error(`${url} answered ${answer.status}: ${answer.body}`);
          latencies[index] = performance.now() - begun;
        }
      }),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - started) / 1000;
  latencies.sort();
  return { seconds, perSecond: total / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

export function postMany(
  posts: Post | readonly Post[],
  total: number,
  connections: number,
  status: number,
): Promise<LoadResult> {
  const loads = [posts].flat().map((post) => ({ method: 'POST' as const, ...post }));
  return sendMany(loads, total, connections, status);
}

/** One kept-alive connection that sends requests one after the other. */
export class SingleConnection {
  private constructor(
    private readonly socket: Socket,
    private readonly answers: Answers,
  ) {}

  static async open(url: string): Promise<SingleConnection> {
    const { hostname, port } = new URL(url);
    const socket = await open(hostname, Number(port));
    return new SingleConnection(socket, new Answers(socket));
  }

  send(request: Buffer): Promise<Answer> {
    this.socket.write(request);
    return this.answers.next();
  }

  close(): void {
    this.socket.destroy();
  }
}

export function requestBytes(post: Post): Buffer {
  return bytesOf({ method: 'POST', ...post });
}

function bytesOf({ method, url, headers, body }: LoadRequest): Buffer {
  const { host, pathname } = new URL(url);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

interface Answer {
  status: number;
  body: string;
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

class Answers {
  private received = '';
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  constructor(socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('The connection was closed before the answer.')));
  }

  next(): Promise<Answer> {
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject }));
  }

  private take(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.received)?.[1];
    if (length === undefined) {
      this.waiting?.reject(new Error('The answer has no Content-Length.'));
      return;
    }
    const end = headEnd + 4 + Number(length);
    if (this.received.length < end) return;
    const answer = { status: Number(this.received.slice(9, 12)), body: this.received.slice(headEnd + 4, end) };
    this.received = this.received.slice(end);
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(answer);
  }
}
