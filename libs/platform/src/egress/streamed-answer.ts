import type { EgressError } from './egress-error.js';
import type { AnswerFeed, AnswerReader, ResponseHead } from './exchange.js';

export interface StreamingResponse extends ResponseHead {
  /** Its reader sees an {@link EgressError} where the answer breaks off or grows beyond its limit. */
  body: ReadableStream<Uint8Array>;
}

/** Hands an answer on as it comes, no faster than it is read. Bodies are expected as they are, not compressed. */
export class StreamedAnswer implements AnswerReader {
  /** Resolves with the head of the answer. */
  readonly response: Promise<StreamingResponse>;
  private resolve!: (response: StreamingResponse) => void;
  private reject!: (error: EgressError) => void;
  private body: ReadableStreamDefaultController<Uint8Array> | undefined;
  private feed: AnswerFeed | undefined;
  private length = 0;

  /** `released`: the answer is over, one way or another. */
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
      feed.cancel('protocol', 'The answer is compressed although it was not asked for so.');
      return;
    }
    this.feed = feed;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.body = controller;
      },
      pull: () => feed.resume(),
      cancel: () => feed.cancel('aborted', 'The rest of the answer is not wanted.'),
    });
    this.resolve({ status, headers, body });
  }

  write(chunk: Buffer): boolean {
    // The parser reports a resumption as an empty chunk, which must not count as something to read.
    if (chunk.length === 0) return true;
    this.length += chunk.length;
    if (this.length > this.maxBytes) {
      this.feed?.cancel('too_large', `The answer is larger than ${this.maxBytes} bytes.`);
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
