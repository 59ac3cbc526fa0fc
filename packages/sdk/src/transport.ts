import { Access } from './access.js';
import { durationMillis } from './durations.js';
import { ApiError, apiErrorOf, ConnectionError, TimeoutError, unexpectedResponse } from './errors.js';
import type { Answer, Body, IdOf, Item, ListRoute, PathIds, Query, Route } from './operation-types.js';
import type { ClientOptions, ListOptions, RequestOptions } from './options.js';
import { List, type Page } from './pages.js';
import { operationRequest, type PreparedRequest, type RawBody, rawRequest, type RequestParts } from './request.js';
import { withRetries } from './retries.js';
import { linkedSignal, reasonOf, systemTiming, type Timing, within } from './timing.js';

export interface CallParts<R extends Route> extends Pick<RequestParts, 'headers' | 'wait' | 'isAnonymous'> {
  path?: PathIds<IdOf<R>>;
  query?: Query<IdOf<R>>;
  body?: Body<IdOf<R>> | RawBody | FormData;
}

/** Call `close` to end the connection. */
export interface OpenStream {
  body: ReadableStream<Uint8Array> | undefined;
  close: () => void;
}

/**
 * Sends requests to the service. Adds the URL and the credentials, enforces the time limit of a call, retries failed
 * requests, and converts error responses to {@link ApiError}.
 */
export class Transport {
  readonly timing: Timing;
  readonly #access: Access;
  readonly #timeoutMillis: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ timeout = '60s', fetch, ...options }: ClientOptions, timing: Timing = systemTiming) {
    this.#access = new Access(options);
    this.#timeoutMillis = durationMillis(timeout, 'timeout');
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.timing = timing;
  }

  async call<R extends Route>(route: R, parts: CallParts<R>, options: RequestOptions = {}): Promise<Answer<IdOf<R>>> {
    return this.#perform(
      operationRequest(route, parts, options, this.timing.now()),
      options,
      readJson<Answer<IdOf<R>>>,
    );
  }

  /**
   * Calls an operation, and also sends it to the second port of the service if the first one does not respond in time
   * or cannot be reached. Resolves with the first successful response. A repetition must be harmless.
   */
  async callUrgently<R extends Route>(
    route: R,
    parts: CallParts<R>,
    options: RequestOptions = {},
  ): Promise<Answer<IdOf<R>>> {
    const request = operationRequest(route, parts, options, this.timing.now());
    const second = this.#access.atStopUrl();
    if (!second) return this.#perform(request, options, readJson<Answer<IdOf<R>>>);
    const calls = linkedSignal(options.signal);
    const callAt = async (to: Access): Promise<{ answer: Answer<IdOf<R>> }> => {
      const call = this.#perform({ ...request, to }, { ...options, signal: calls.signal }, readJson<Answer<IdOf<R>>>);
      return call.then((answer) => ({ answer }));
    };
    try {
      const first = callAt(this.#access);
      const patience = this.timing.sleep(URGENT_MILLIS, calls.signal).then(() => undefined);
      const early = await Promise.race([first, patience]).catch((error: unknown) => {
        if (error instanceof ApiError || calls.signal.aborted) throw error;
        return undefined;
      });
      if (early) return early.answer;
      return (await Promise.any([first, callAt(second)])).answer;
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error;
      throw error.errors.find((each) => each instanceof ApiError) ?? error.errors[0];
    } finally {
      calls.abort();
      calls.release();
    }
  }

  /**
   * Calls an operation that deletes a resource. If a retry responds with 404, an earlier attempt has deleted the
   * resource, so the call succeeds.
   */
  async remove<R extends Route>(route: R, parts: CallParts<R>, options: RequestOptions = {}): Promise<void> {
    let mayBeRemoved = false;
    await this.#perform(operationRequest(route, parts, options, this.timing.now()), options, readJson, (error) => {
      if (mayBeRemoved && error instanceof ApiError && error.status === 404) return;
      mayBeRemoved ||= !(error instanceof ApiError && error.status === 429);
      throw error;
    });
  }

  async text(route: Route, accept: string, parts: RequestParts, options: RequestOptions = {}): Promise<string> {
    const headers = { ...parts.headers, accept };
    const request = operationRequest(route, { ...parts, headers }, options, this.timing.now());
    return this.#perform(request, options, (response) => response.text());
  }

  list<R extends ListRoute>(route: R, parts: CallParts<R>, options: ListOptions = {}): List<Item<IdOf<R>>> {
    // Durations in filters are relative to this time on every page, because a cursor is valid only with the same
    // filters as the previous page.
    const begun = this.timing.now();
    return new List(async (cursor, signal) => {
      const query = { ...parts.query, ...(cursor !== undefined && { cursor }) };
      const request = operationRequest(route, { ...parts, query }, options, begun);
      return this.#perform(request, { ...options, signal }, readJson<Page<Item<IdOf<R>>>>);
    }, options.signal);
  }

  async request<Answered>(
    method: string,
    path: string,
    { isText = false, ...parts }: Pick<RequestParts, 'query' | 'body'> & { isText?: boolean },
    options: RequestOptions = {},
  ): Promise<Answered> {
    const read = isText ? (response: Response) => response.text() as Promise<Answered> : readJson<Answered>;
    return this.#perform(rawRequest(method, path, parts, options, this.timing.now()), options, read);
  }

  /** The time limit applies until the response begins. */
  async open(
    route: Route,
    parts: RequestParts,
    options: RequestOptions = {},
    accept = 'text/event-stream',
  ): Promise<OpenStream> {
    const headers = { ...parts.headers, accept };
    const request = operationRequest(route, { ...parts, headers }, options, this.timing.now());
    const connection = linkedSignal(options.signal);
    const close = (): void => {
      connection.abort();
      connection.release();
    };
    try {
      const { status, body } = await this.#within(request, { ...options, signal: connection.signal }, (signal) => {
        // The stream stays open after this call, so the connection has a signal of its own. The time limit aborts this
        // signal only until the response begins.
        signal.addEventListener('abort', () => connection.abort(signal.reason), { once: true });
        return withRetries(() => this.#send(request, connection.signal), request, { timing: this.timing, signal });
      });
      return { body: status === 204 ? undefined : (body ?? undefined), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  #perform<T>(
    request: PreparedRequest & { to?: Access },
    options: RequestOptions,
    read: (response: Response) => Promise<T>,
    recover: (error: unknown) => T = rethrow,
  ): Promise<T> {
    return this.#within(request, options, (signal) => {
      const attempt = async (): Promise<T> => {
        const response = await this.#send(request, signal);
        options.onResponse?.({ status: response.status, headers: response.headers });
        return orConnectionError(request, signal, () => read(response));
      };
      return withRetries(() => attempt().catch(recover), request, { timing: this.timing, signal });
    });
  }

  #within<T>(request: PreparedRequest, options: RequestOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeout, signal } = options;
    const millis =
      (timeout === undefined ? this.#timeoutMillis : durationMillis(timeout, 'timeout')) + request.waitMillis;
    const timeoutError = (): Error =>
      new TimeoutError(`${nameOf(request)} was not answered within ${millis} ms. The service may carry it out.`);
    return within({ millis, signal, timeoutError }, work);
  }

  async #send(request: PreparedRequest & { to?: Access }, signal: AbortSignal): Promise<Response> {
    const { method, body, onProgress, to: access = this.#access } = request;
    const url = access.urlOf(request.target);
    const headers = { ...access.headersOf(request), ...request.headers };
    const { credentials } = access;
    const init = { method, headers, signal, credentials, redirect: 'manual' } as const;
    const response = await orConnectionError(request, signal, async () => {
      if (typeof body === 'function') return this.#fetch(url.href, streamed(init, body()));
      if (!onProgress) return this.#fetch(url.href, { ...init, body });
      const { sendWithProgress } = await import('./send-with-progress.js');
      return sendWithProgress(url.href, { ...init, body }, onProgress);
    });
    if (response.ok && !response.redirected) return response;
    if (isRedirect(response)) throw unexpectedResponse(response, 'redirect_refused', REDIRECTED);
    throw apiErrorOf(response, await orConnectionError(request, signal, () => response.text()), this.timing.now());
  }
}

/** `duplex` is required for a stream as body, and the types of browsers lack it. */
function streamed(init: RequestInit, body: ReadableStream<Uint8Array>): RequestInit {
  return { ...init, body, ...{ duplex: 'half' } };
}

/** Milliseconds after which an urgent call is also sent to the second port. */
const URGENT_MILLIS = 2_000;

const REDIRECTED =
  'The service redirects to another address, which could receive the API key. Set `baseUrl` to the final address.';

/**
 * Returns whether the response is a redirect. Browsers report a redirect that was not followed as a response without a
 * status.
 */
function isRedirect({ type, status, redirected }: Response): boolean {
  return redirected || type === 'opaqueredirect' || (status >= 300 && status < 400);
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw unexpectedResponse(
      response,
      'unexpected_response',
      'The response is not JSON. Check the address and the proxies before it.',
    );
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function nameOf({ method, target }: PreparedRequest): string {
  return `${method} ${target.replace(/\?.*/, '')}`;
}

async function orConnectionError<T>(request: PreparedRequest, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw reasonOf(signal);
    if (error instanceof ApiError) throw error;
    const { message, cause } = error as Error;
    const details = cause instanceof Error && cause.message ? cause.message : message;
    throw new ConnectionError(`${nameOf(request)} failed without a response: ${details}`, { cause: error });
  }
}
