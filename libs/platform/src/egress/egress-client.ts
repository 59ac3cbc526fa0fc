import type { OnApplicationShutdown } from '@nestjs/common';
import type { Agent } from 'undici';
import { EgressError } from './egress-error.js';
import type { EgressRequest, EgressResponse } from './egress-request.js';
import { CollectedAnswer, type IncomingResponse } from './collected-answer.js';
import { Exchange, type OutgoingRequest } from './exchange.js';
import { RequestCancellation } from './request-cancellation.js';
import { HostGuard, type Lookup } from './host-guard.js';
import { outgoingRequest, parseTarget } from './outgoing-request.js';
import { redirectedRequest, redirectTarget, redirectWithoutBody } from './redirect.js';
import { StreamedAnswer, type StreamingResponse } from './streamed-answer.js';
import { openBody, type OpenedBody } from './streamed-body.js';

const MAX_REDIRECTS = 3;
const FEWEST_CONNECTIONS_PER_ORIGIN = 128;

export interface EgressSettings {
  allow: readonly string[];
  /**
   * List only origins that the operator configured, and use a separate client for them. Never list an origin that a
   * definition, a user or a model chooses.
   */
  trustedOrigins?: readonly string[];
  lookup?: Lookup;
  /** Time limit for name resolution, TCP and TLS together, in milliseconds. Default 5 000. */
  connectTimeoutMs?: number;
  /**
   * Maximum number of concurrent requests to one origin, each on its own connection. The minimum is 128: lower values
   * have no effect.
   */
  concurrency?: number;
}

/**
 * It never retries a request and uses no proxy from the environment. A request results in a response of any status or
 * in an {@link EgressError}, whose `sent` tells whether the server may have received the request.
 */
export class EgressClient implements OnApplicationShutdown {
  readonly guard: HostGuard;
  private readonly connectMillis: number;
  private readonly connections: number;
  private opening: Promise<Agent> | undefined;
  private isClosed = false;

  constructor({ allow, trustedOrigins, lookup, connectTimeoutMs = 5_000, concurrency = 0 }: EgressSettings) {
    this.guard = new HostGuard(allow, lookup, trustedOrigins);
    this.connectMillis = connectTimeoutMs;
    this.connections = Math.max(FEWEST_CONNECTIONS_PER_ORIGIN, concurrency);
  }

  async request(request: EgressRequest): Promise<EgressResponse> {
    const { timeoutMs = 30_000, signal, redirect = 'none', onRedirect } = request;
    const cancellation = new RequestCancellation(timeoutMs, signal);
    const collecting: Collecting = {
      hasRest: false,
      wantsRest: (response) => (collecting.hasRest = request.wantsRest?.(response) ?? false),
      released: () => {
        if (collecting.hasRest) cancellation.release();
      },
    };
    try {
      let next = outgoingRequest(request);
      for (let hop = 0; ; hop++) {
        const sending = this.exchange(next, cancellation, hop > 0, collecting);
        const response = await (redirect === 'follow' ? sending.catch(redirectWithoutBody) : sending);
        const target = redirect === 'follow' ? redirectTarget(response, next) : undefined;
        if (target === undefined) return { url: next.url.href, ...response };
        const url = parseTarget(target, true);
        if (onRedirect?.(url, response.status) === false) return { url: next.url.href, ...response };
        if (hop === MAX_REDIRECTS)
          throw new EgressError('too_many_redirects', `More than ${MAX_REDIRECTS} redirects.`, { sent: true });
        next = redirectedRequest(next, response.status, url);
      }
    } finally {
      if (!collecting.hasRest) cancellation.release();
    }
  }

  /**
   * Returns the response as a stream. The limits of time and size apply until the stream ends, so a caller that stops
   * reading early must cancel the body or abort the signal.
   */
  async stream(request: EgressRequest): Promise<StreamingResponse & { url: string }> {
    const { timeoutMs = 30_000, signal, redirect = 'none', onRedirect } = request;
    const end = performance.now() + timeoutMs;
    let next = outgoingRequest({ ...request, headers: { ...request.headers, 'accept-encoding': 'identity' } });
    for (let hop = 0; ; hop++) {
      const opening = this.openStream(next, new RequestCancellation(Math.max(1, end - performance.now()), signal));
      const response = await (hop > 0 ? opening.catch(rethrowAsSent) : opening);
      const target = redirect === 'follow' ? redirectTarget(response, next) : undefined;
      if (target === undefined) return { ...response, url: next.url.href };
      const url = parseTarget(target, true);
      if (onRedirect?.(url, response.status) === false) return { ...response, url: next.url.href };
      await response.body.cancel();
      if (hop === MAX_REDIRECTS)
        throw new EgressError('too_many_redirects', `More than ${MAX_REDIRECTS} redirects.`, { sent: true });
      next = redirectedRequest(next, response.status, url);
    }
  }

  /** Requests in progress fail with `aborted`. */
  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.opening?.then(
      (agent) => agent.destroy(),
      () => undefined,
    );
  }

  private async openStream(request: OutgoingRequest, cancellation: RequestCancellation): Promise<StreamingResponse> {
    try {
      const [agent, body] = [await this.agent(), await openBody(request.body)];
      const answer = new StreamedAnswer(request.maxResponseBytes, () => {
        cancellation.release();
        body.close();
      });
      dispatch(agent, request, body, new Exchange(request, answer), cancellation);
      return await answer.response;
    } catch (error) {
      cancellation.release();
      throw error;
    }
  }

  private async exchange(
    request: OutgoingRequest,
    cancellation: RequestCancellation,
    sentBefore: boolean,
    { wantsRest, released }: Collecting,
  ): Promise<IncomingResponse> {
    const [agent, body] = [await this.agent(), await openBody(request.body)];
    const answer = new CollectedAnswer(request.maxResponseBytes, wantsRest, () => {
      released();
      body.close();
    });
    dispatch(agent, request, body, new Exchange(request, answer), cancellation);
    return sentBefore ? answer.response.catch(rethrowAsSent) : answer.response;
  }

  /** Many processes send none, for example the thread of the emergency stop, and undici needs 4 MB of memory. */
  private agent(): Promise<Agent> {
    return (this.opening ??= this.open());
  }

  private async open(): Promise<Agent> {
    const { vettedAgent } = await import('./vetted-connector.js');
    if (this.isClosed) throw new EgressError('aborted', 'The service is shutting down.', { sent: false });
    return vettedAgent(this.guard, this.connectMillis, this.connections);
  }
}

interface Collecting {
  hasRest: boolean;
  wantsRest: (response: IncomingResponse) => boolean;
  /** Called when no more bytes of a response arrive. */
  released: () => void;
}

function dispatch(
  agent: Agent,
  { url, method, headers, headersTimeoutMs }: OutgoingRequest,
  { body, headers: framing }: OpenedBody,
  exchange: Exchange,
  cancellation: RequestCancellation,
): void {
  cancellation.watch(exchange);
  if (cancellation.isCancelled) return;
  const path = url.pathname + url.search;
  const head = { origin: url.origin, path, method, headers: { ...headers, ...framing } };
  agent.dispatch({ ...head, body, headersTimeout: headersTimeoutMs }, exchange);
}

function rethrowAsSent(error: unknown): never {
  if (!(error instanceof EgressError) || error.sent) throw error;
  throw new EgressError(error.reason, error.message, { sent: true, cause: error });
}
