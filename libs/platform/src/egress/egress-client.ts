import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { EgressError } from './egress-error.js';
import type { EgressRequest, EgressResponse } from './egress-request.js';
import { CollectedAnswer, type IncomingResponse } from './collected-answer.js';
import { Exchange, type OutgoingRequest } from './exchange.js';
import { Ending } from './ending.js';
import { HostGuard, type Lookup } from './host-guard.js';
import { outgoingRequest, parseTarget } from './outgoing-request.js';
import { redirectedRequest, redirectTarget } from './redirect.js';
import { StreamedAnswer, type StreamingResponse } from './streamed-answer.js';
import { vettedConnector } from './vetted-connector.js';

const MAX_REDIRECTS = 3;
const MAX_HEADER_BYTES = 16 * 1024;
const FEWEST_CONNECTIONS_PER_ORIGIN = 128;

export interface EgressSettings {
  /** Entries of EGRESS_ALLOW: `CIDR[:port]`. */
  allow: readonly string[];
  /**
   * Origins (`http://localhost:11434`) that are reached whatever their address is. For what an operator configured, in a
   * client of its own: never for anything that a definition, a person or a model can choose.
   */
  trustedOrigins?: readonly string[];
  /** For tests. Default: the operating system's resolver. */
  lookup?: Lookup;
  /** Name resolution, TCP and TLS together. Default 5 000. */
  connectTimeoutMs?: number;
  /** Requests that the process may have under way at the same time: none of them waits for another one's connection. */
  concurrency?: number;
}

/**
 * The only way out: HTTP requests to public addresses and to those in EGRESS_ALLOW, within limits of time and size.
 * It never repeats a request and takes no proxy from the environment. A request ends as a response of any status or as
 * an {@link EgressError}, whose `sent` says whether the other side may have received it.
 */
export class EgressClient implements OnApplicationShutdown {
  /** For outbound connections that are not HTTP. */
  readonly guard: HostGuard;
  private readonly agent: Agent;

  constructor({ allow, trustedOrigins, lookup, connectTimeoutMs = 5_000, concurrency = 0 }: EgressSettings) {
    this.guard = new HostGuard(allow, lookup, trustedOrigins);
    this.agent = new Agent({
      connect: vettedConnector(this.guard, connectTimeoutMs),
      connections: Math.max(FEWEST_CONNECTIONS_PER_ORIGIN, concurrency),
      // One request at a time on a connection: undici repeats requests only when they were pipelined behind a broken one.
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The total time limit covers the body.
      bodyTimeout: 0,
    });
  }

  async request(request: EgressRequest): Promise<EgressResponse> {
    const { timeoutMs = 30_000, signal, redirect = 'none' } = request;
    const ending = new Ending(timeoutMs, signal);
    try {
      let next = outgoingRequest(request);
      for (let hop = 0; ; hop++) {
        const response = await this.exchange(next, ending, hop > 0);
        const target = redirect === 'follow' ? redirectTarget(response, next) : undefined;
        if (target === undefined) return { url: next.url.href, ...response };
        if (hop === MAX_REDIRECTS)
          throw new EgressError('too_many_redirects', `More than ${MAX_REDIRECTS} redirects.`, { sent: true });
        next = redirectedRequest(next, response.status, parseTarget(target, true));
      }
    } finally {
      ending.release();
    }
  }

  /**
   * The answer as it comes, for what is read while it is being made; redirects are answers. The limits of time and size
   * hold until its end: whoever does not read it to its end cancels the body or aborts the signal.
   */
  async stream(request: Omit<EgressRequest, 'redirect'>): Promise<StreamingResponse> {
    const { timeoutMs = 30_000, signal } = request;
    const ending = new Ending(timeoutMs, signal);
    try {
      const outgoing = outgoingRequest({ ...request, headers: { ...request.headers, 'accept-encoding': 'identity' } });
      const answer = new StreamedAnswer(outgoing.maxResponseBytes, () => ending.release());
      this.dispatch(outgoing, new Exchange(outgoing, answer), ending);
      return await answer.response;
    } catch (error) {
      ending.release();
      throw error;
    }
  }

  /** Breaks what is still under way; the requests fail with `aborted`. */
  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private exchange(request: OutgoingRequest, ending: Ending, sentBefore: boolean): Promise<IncomingResponse> {
    const answer = new CollectedAnswer(request.maxResponseBytes);
    this.dispatch(request, new Exchange(request, answer), ending);
    return sentBefore ? answer.response.catch(rethrowAsSent) : answer.response;
  }

  private dispatch(
    { url, method, headers, body, headersTimeoutMs }: OutgoingRequest,
    exchange: Exchange,
    ending: Ending,
  ): void {
    ending.watch(exchange);
    if (ending.over) return;
    const path = url.pathname + url.search;
    this.agent.dispatch(
      { origin: url.origin, path, method, headers, body, headersTimeout: headersTimeoutMs },
      exchange,
    );
  }
}

/** Of a request that was redirected: it has been sent, whatever became of its last hop. */
function rethrowAsSent(error: unknown): never {
  if (!(error instanceof EgressError) || error.sent) throw error;
  throw new EgressError(error.reason, error.message, { sent: true, cause: error });
}
