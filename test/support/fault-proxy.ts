import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

export interface ProxiedRequest {
  method: string;
  target: string;
  headers: IncomingMessage['headers'];
  body: string;
  /**
   * How many times the proxy has received this request. Two requests are the same if their method, target, body and
   * `Last-Event-ID` are equal.
   */
  times: number;
}

/**
 * The point at which the proxy closes the connection. `before`: before it forwards the request. `after`: after the
 * service has responded, but before the client receives the response. `within`: in the middle of the response. A
 * number: after that many bytes of the response.
 */
export type Fault = 'before' | 'after' | 'within' | number;

/** Chooses the fault of a request. Returns undefined if the proxy should forward the request without a fault. */
export type FaultPlan = (request: ProxiedRequest) => Fault | undefined;

export class FaultProxy {
  readonly requests: ProxiedRequest[] = [];
  private readonly times = new Map<string, number>();

  private constructor(
    private readonly server: Server,
    private readonly target: () => string,
    public plan: FaultPlan,
  ) {
    server.on('request', (incoming, response) => {
      this.pass(incoming, response).catch(() => response.destroy());
    });
  }

  static async open(target: () => string, plan: FaultPlan = () => undefined): Promise<FaultProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, target, plan);
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The proxy is closed.');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const fault = this.plan(this.record(incoming, body.toString('utf8')));
    if (fault === 'before') return void response.destroy();
    const { method, headers } = incoming;
    const forwarded = request(new URL(incoming.url ?? '', this.target()), { method, headers }).end(body);
    response.once('close', () => forwarded.destroy());
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
    if (fault === undefined) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      return void answer.pipe(response);
    }
    await cut(fault, answer, response);
  }

  private record({ method = '', url = '', headers }: IncomingMessage, body: string): ProxiedRequest {
    const name = [method, url, body, headers['last-event-id']].join(' ');
    const times = (this.times.get(name) ?? 0) + 1;
    this.times.set(name, times);
    const recorded = { method, target: url, headers, body, times };
    this.requests.push(recorded);
    return recorded;
  }
}

async function cut(fault: Fault, answer: IncomingMessage, response: ServerResponse): Promise<void> {
  if (typeof fault !== 'number') {
    const body = await buffer(answer);
    if (fault === 'after') return void response.destroy();
    // The proxy cuts a response without a body in the middle of its status line.
    if (body.length === 0) return void response.socket?.end('HTTP/1.1 2');
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  let left = fault;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    const sent = piece.subarray(0, left);
    left -= sent.length;
    await new Promise((resolve) => response.write(sent, resolve));
    if (left === 0) return void response.destroy();
  }
  response.end();
}
