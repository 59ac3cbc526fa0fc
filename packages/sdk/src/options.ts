import type { Duration } from './durations.js';

/** Address and credentials of the client, and defaults for its calls. */
export interface ClientOptions {
  /**
   * API key. Default: the environment variable `AAS_API_KEY`. With `null`, the client has no key and can only sign in
   * and read public data.
   */
  apiKey?: string | null;
  /** Address of the service, with or without `/v1`. Default: the environment variable `AAS_URL`. */
  baseUrl?: string;
  /** `true` for a page that the service itself serves. Requests then carry the session cookie instead of an API key. */
  session?: boolean;
  /** Time limit of one call, including its retries. Default: `60s`. */
  timeout?: Duration;
  /** Headers of every request, for example `User-Agent`. */
  headers?: Readonly<Record<string, string>>;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Options of one call. */
export interface RequestOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Time limit of the call, including its retries. Default: the `timeout` of the client. */
  timeout?: Duration;
  /**
   * Idempotency key: the service carries out requests with the same key only once. Default: a new key for each call,
   * which is also used for its retries. Pass your own key to repeat a call after a restart of your program.
   */
  idempotencyKey?: string;
  /**
   * Changes the resource only if its `ETag`, without quotes, equals this value. Otherwise the call is rejected with
   * 412.
   */
  ifMatch?: string | number;
  /** Additional headers. */
  headers?: Readonly<Record<string, string>>;
  /** Called with status and headers of a successful response, for example to read its `ETag`. */
  onResponse?: (response: { status: number; headers: Headers }) => void;
}

/** Options of a call that returns a list. */
export type ListOptions = Pick<RequestOptions, 'signal' | 'timeout' | 'headers' | 'onResponse'>;
