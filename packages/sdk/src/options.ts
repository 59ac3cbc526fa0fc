import type { Duration } from './durations.js';

/** URL and credentials of the client, and defaults for its calls. */
export interface ClientOptions {
  /**
   * API key. Default: the value of the environment variable `AAS_API_KEY`. If it is `null`, the client sends no key.
   * Such a client can only sign in and read public data.
   */
  apiKey?: string | null;
  /** URL of the service, with or without `/v1`. Default: the value of the environment variable `AAS_URL`. */
  baseUrl?: string;
  /**
   * Set to `true` on a page that the service itself serves. Requests then carry the session cookie instead of a key.
   */
  session?: boolean;
  /**
   * URL of the second port of the service (`STOP_PORT`), or a function that returns it when it is needed. If the
   * service does not respond to `workspace.stop` within two seconds, the stop is also sent there.
   */
  stopUrl?: string | (() => string | undefined);
  /** Time limit of each call, including its retries. Default: `60s`. */
  timeout?: Duration;
  /** Headers that are sent with every request, for example `User-Agent`. */
  headers?: Readonly<Record<string, string>>;
  /** Function that the client uses instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface RequestOptions {
  /** If this signal aborts, the call is cancelled and rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Time limit of the call, including its retries. Default: the `timeout` of the client. */
  timeout?: Duration;
  /**
   * The service carries out requests with the same idempotency key only once. By default, each call gets a new key,
   * which all its retries use. Pass your own key if your program may repeat the call after a restart.
   */
  idempotencyKey?: string;
  /**
   * `ETag` of the resource, without quotes. If the resource has changed since it was read, the call is rejected with
   * 412.
   */
  ifMatch?: string | number;
  /** Additional headers of this call. */
  headers?: Readonly<Record<string, string>>;
  /** Called with the status and headers of a successful response, for example to read its `ETag`. */
  onResponse?: (response: { status: number; headers: Headers }) => void;
}

/** Options of a call that returns a list. The call changes nothing, so it needs no idempotency key and no `ifMatch`. */
export type ListOptions = Pick<RequestOptions, 'signal' | 'timeout' | 'headers' | 'onResponse'>;
