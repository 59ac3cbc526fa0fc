import type { Duration } from './durations.js';

/** How the client reaches the service, and as whom. */
export interface ClientOptions {
  /**
   * API key. Default: the environment variable `AAS_API_KEY`. `null` for a client without a key, which may sign in and
   * read what is public.
   */
  apiKey?: string | null;
  /** Address of the service, with or without `/v1`. Default: the environment variable `AAS_URL`. */
  baseUrl?: string;
  /**
   * `true` for a page that the service itself serves: requests carry the cookie of the signed-in person and no API key.
   */
  session?: boolean;
  /** Time for one call, its repetitions included. Default: `60s`. */
  timeout?: Duration;
  /** Headers of every request, for example `User-Agent`. */
  headers?: Readonly<Record<string, string>>;
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Options of one call. */
export interface RequestOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Time for the call, its repetitions included. Default: the `timeout` of the client. */
  timeout?: Duration;
  /**
   * Key under which the service carries the request out once. Default: a new one for each call, which its repetitions
   * share. Give your own to repeat a call after a restart of your program.
   */
  idempotencyKey?: string;
  /** Changes the resource only if its `ETag` is this one, without quotes; otherwise the call is refused with 412. */
  ifMatch?: string | number;
  /** Additional headers. */
  headers?: Readonly<Record<string, string>>;
  /** Called with status and headers of a successful response, for example to read its `ETag`. */
  onResponse?: (response: { status: number; headers: Headers }) => void;
}

/** Options of a call that answers with a list. */
export type ListOptions = Pick<RequestOptions, 'signal' | 'timeout' | 'headers' | 'onResponse'>;
