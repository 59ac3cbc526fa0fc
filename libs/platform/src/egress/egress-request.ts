import type { IncomingResponse } from './collected-answer.js';

/** What a caller asks for. */
export interface EgressRequest {
  /** Absolute `http:` or `https:` URL without credentials. */
  url: string;
  /** Default `GET`. */
  method?: string;
  /** `host`, `content-length` and the headers that belong to a connection are the client's own and ignored here. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** For everything from resolving the name to the last byte, redirects included. Default 30 000. */
  timeoutMs?: number;
  /** From the request to the headers of the answer. Default 15 000; model providers need more. */
  headersTimeoutMs?: number;
  /** Of the decompressed body. Default 1 MiB. What is beyond is cut off and `truncated` is true. */
  maxResponseBytes?: number;
  /** `follow` goes along with up to three redirects; default `none`: a redirect is an answer like any other. */
  redirect?: 'follow' | 'none';
  /**
   * Called at the last moment: the connection is established, and nothing is awaited between this call and the writing
   * of the first byte. When it throws or returns false, nothing is written and the request fails with `aborted`.
   * Called again for every redirect that is followed.
   */
  onBeforeSend?: () => boolean;
}

export interface EgressResponse extends IncomingResponse {
  /** Where the answer came from, after redirects. */
  url: string;
}
