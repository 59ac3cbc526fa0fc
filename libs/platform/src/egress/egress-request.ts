import type { IncomingResponse } from './collected-answer.js';

export interface EgressRequest {
  /** Absolute `http:` or `https:` URL without credentials. */
  url: string;
  /** Default `GET`. */
  method?: string;
  /** The client sets `host`, `content-length` and connection headers itself and ignores them here. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /**
   * Time limit in milliseconds for the whole request, from name resolution to the last byte of the response, including
   * redirects. Default 30 000.
   */
  timeoutMs?: number;
  /**
   * Time limit in milliseconds between the request and the headers of the response. Default 15 000. Requests to model
   * providers need a longer limit.
   */
  headersTimeoutMs?: number;
  /**
   * Limit of the response body in bytes, after decompression. Default 1 MiB. If the body is longer, `request` cuts it
   * off and sets `truncated`, and `stream` fails with `too_large`.
   */
  maxResponseBytes?: number;
  /** `follow` follows up to three redirects. The default `none` returns the redirect as the response. */
  redirect?: 'follow' | 'none';
  /**
   * Called before a redirect is followed, with its target and status. If it returns false, the redirect is not followed
   * and becomes the response. If it throws, the request fails with that error.
   */
  onRedirect?: (target: URL, status: number) => boolean;
  /**
   * Called when the connection is established, synchronously before the first byte is written. If it throws or returns
   * false, nothing is written and the request fails with `aborted`. Called again for every redirect that is followed.
   */
  onBeforeSend?: () => boolean;
}

export interface EgressResponse extends IncomingResponse {
  /** URL of the last request, after redirects. */
  url: string;
}
