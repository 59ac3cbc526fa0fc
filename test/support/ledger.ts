import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

import { eventually } from './eventually.js';

/** One call that the tool server received. */
export interface LedgerCall {
  method: string;
  path: string;
  query: string;
  body: string;
  /** Run id from a header of the call. Each of this field and the next three is empty if its header is missing. */
  run: string;
  step: string;
  epoch: string;
  idempotencyKey: string;
  headers: IncomingHttpHeaders;
  /** Time at which the request was completely received, in milliseconds since 1970. */
  at: number;
  /**
   * State of the call. `open`: the ledger has not responded yet. `answered`: it has responded. `aborted`: the caller
   * closed the connection before the response. `dropped`: the ledger closed the connection.
   */
  state: 'open' | 'answered' | 'aborted' | 'dropped';
}

type JsonBody = object | string | number | boolean | null;

/** How the ledger responds to a call that it has recorded. */
export interface Behaviour {
  /** HTTP status of the response. Default: 200. */
  status?: number;
  /**
   * Body of the response, sent as JSON, or a function that computes it from the call. Default: `{"call": n}` for the
   * n-th call of this path.
   */
  body?: JsonBody | ((call: LedgerCall) => JsonBody);
  headers?: Readonly<Record<string, string>>;
  delayMillis?: number;
  /** True to respond only after `release` is called. */
  hang?: boolean;
  /** True to close the connection instead of responding. */
  drop?: boolean;
}

/**
 * A tool server on the loopback address. It records every call that it receives, so that tests know which calls were
 * really made. It responds immediately unless a script says otherwise.
 */
export class Ledger {
  readonly calls: LedgerCall[] = [];
  peak = 0;
  private open = 0;
  private readonly scripts = new Map<string, Behaviour[]>();
  private readonly constant = new Map<string, Behaviour>();
  private readonly counts = new Map<string, number>();
  private readonly hanging: { path: string; answer: () => void }[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.receive(request, response));
  }

  static async start(): Promise<Ledger> {
    // Idle connections stay open. If the ledger closed a connection while the service sends a call, the outcome of the
    // call would be unknown.
    const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Ledger(server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get egressEntry(): string {
    return `127.0.0.1/32:${this.port}`;
  }

  /**
   * Sets the responses to the next calls of `path`, in order. Later calls get the response that {@link always} has set,
   * or the default response.
   */
  script(path: string, ...behaviours: Behaviour[]): void {
    this.scripts.set(path, behaviours);
  }

  always(path: string, behaviour: Behaviour): void {
    this.constant.set(path, behaviour);
  }

  /** Returns the calls of `path` in the order of arrival. With `run`, returns only the calls of this run. */
  callsOf(path: string, run?: string): LedgerCall[] {
    return this.calls.filter((call) => call.path === path && (run === undefined || call.run === run));
  }

  called(path: string, times = 1): Promise<LedgerCall[]> {
    return eventually(
      () => {
        const calls = this.callsOf(path);
        if (calls.length >= times) return calls;
        throw new Error(`${path} was called ${calls.length} times, not ${times}.`);
      },
      { within: 150_000 },
    );
  }

  /** Responds to the calls of `path` that wait because of `hang`. */
  release(path: string): void {
    for (const call of this.hanging.splice(0)) {
      if (call.path === path) call.answer();
      else this.hanging.push(call);
    }
  }

  reset(): void {
    this.calls.length = 0;
    this.counts.clear();
    this.peak = 0;
    this.scripts.clear();
    this.constant.clear();
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private get port(): number {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The ledger is closed.');
    return address.port;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The caller aborted the request before it was complete, so the ledger does not record the call.
      return;
    }
    const call = recorded(request, Buffer.concat(chunks).toString('utf8'));
    this.calls.push(call);
    this.open += 1;
    this.peak = Math.max(this.peak, this.open);
    response.once('close', () => {
      this.open -= 1;
      if (call.state === 'open') call.state = 'aborted';
    });
    this.act(call, response);
  }

  private act(call: LedgerCall, response: ServerResponse): void {
    const count = (this.counts.get(call.path) ?? 0) + 1;
    this.counts.set(call.path, count);
    const behaviour = this.scripts.get(call.path)?.shift() ?? this.constant.get(call.path) ?? {};
    const answer = (): void => {
      if (call.state !== 'open') return;
      call.state = behaviour.drop ? 'dropped' : 'answered';
      if (behaviour.drop) response.destroy();
      else respond(response, answerOf(behaviour, call), count);
    };
    if (behaviour.hang) this.hanging.push({ path: call.path, answer });
    else if (behaviour.delayMillis) setTimeout(answer, behaviour.delayMillis);
    else answer();
  }
}

function answerOf(behaviour: Behaviour, call: LedgerCall): Behaviour {
  const { body } = behaviour;
  return typeof body === 'function' ? { ...behaviour, body: body(call) } : behaviour;
}

function respond(response: ServerResponse, { status = 200, body, headers }: Behaviour, count: number): void {
  const text = JSON.stringify(body ?? { call: count });
  const framing = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...framing });
  response.end(text);
}

function recorded(request: IncomingMessage, body: string): LedgerCall {
  const header = (name: string): string => String(request.headers[name] ?? '');
  return {
    method: request.method ?? '',
    path: (request.url ?? '').split('?')[0] ?? '',
    query: (request.url ?? '').split('?')[1] ?? '',
    body,
    run: header('agent-run'),
    step: header('agent-step'),
    epoch: header('agent-epoch'),
    idempotencyKey: header('idempotency-key'),
    headers: request.headers,
    at: Date.now(),
    state: 'open',
  };
}
