import type { EgressError } from './egress-error.js';
import type { AnswerFeed, AnswerReader } from './exchange.js';
import type { ResponseHead } from './response-head.js';

export interface StreamingResponse extends ResponseHead {
  /** Reading fails with an {@link EgressError} if the connection breaks or the response exceeds its limit. */
  body: ReadableStream<Uint8Array>;
}

/**
 * Streams a response no faster than its consumer reads it. A compressed response fails, because the request asked for
 * an uncompressed one.
 */
export class StreamedAnswer implements AnswerReader {
  readonly response: Promise<StreamingResponse>;
  private resolve!: (response: StreamingResponse) => void;
  private reject!: (error: EgressError) => void;
  private body: ReadableStreamDefaultController<Uint8Array> | undefined;
  private feed: AnswerFeed | undefined;
  private length = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly released: () => void,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  begin({ status, headers }: ResponseHead, feed: AnswerFeed): void {
    const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (coding !== 'identity') {
      feed.cancel('protocol', 'The response is compressed, although the request does not accept compression.');
      return;
    }
    this.feed = feed;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.body = controller;
      },
      pull: () => feed.resume(),
      cancel: () => feed.cancel('aborted', 'The caller cancelled the rest of the response.'),
    });
    this.resolve({ status, headers, body });
  }

  write(chunk: Buffer): boolean {
    // When a paused response resumes, the parser passes an empty chunk.
    if (chunk.length === 0) return true;
    this.length += chunk.length;
    if (this.length > this.maxBytes) {
      this.feed?.cancel('too_large', `The response is larger than ${this.maxBytes} bytes.`);
      return true;
    }
    this.body?.enqueue(chunk);
    return (this.body?.desiredSize ?? 1) > 0;
  }

  end(): void {
    this.body?.close();
    this.feed?.finish(false);
    this.released();
  }

  fail(error: EgressError): void {
    if (this.body) this.body.error(error);
    else this.reject(error);
    this.released();
  }
}
