import type { IncomingResponse } from './collected-answer.js';
import type { StreamedBody } from './streamed-body.js';

export interface EgressRequest {
  url: string;
  method?: string;
  /** The client sets `host`, `content-length` and connection headers itself and ignores them here. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | StreamedBody;
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
  /**
   * Asked once if the body is longer than `maxResponseBytes`. If it returns true, the response has the `rest`, to which
   * the time limit applies too.
   */
  wantsRest?: (response: IncomingResponse) => boolean;
  /** The default `none` returns the redirect as the response. */
  redirect?: 'follow' | 'none';
  /** If it throws, the request fails with that error. */
  onRedirect?: (target: URL, status: number) => boolean;
  /**
   * If it throws or returns false, nothing is written and the request fails with `aborted`. Called again for every
   * redirect that is followed.
   */
  onBeforeSend?: () => boolean;
}

export interface EgressResponse extends IncomingResponse {
  url: string;
}
