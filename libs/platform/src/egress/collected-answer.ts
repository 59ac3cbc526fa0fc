import { BodyCollector } from './body-collector.js';
import type { EgressError } from './egress-error.js';
import type { AnswerFeed, AnswerReader, ResponseHead } from './exchange.js';

export interface IncomingResponse extends ResponseHead {
  body: Buffer;
  truncated: boolean;
}

/** Reads a whole answer, up to `maxBytes`. */
export class CollectedAnswer implements AnswerReader {
  readonly response: Promise<IncomingResponse>;
  private resolve!: (response: IncomingResponse) => void;
  private reject!: (error: EgressError) => void;
  private collector: BodyCollector | undefined;

  constructor(private readonly maxBytes: number) {
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  begin(head: ResponseHead, feed: AnswerFeed): void {
    const coding = (head.headers['content-encoding'] ?? '').trim().toLowerCase();
    this.collector = new BodyCollector(coding, this.maxBytes, {
      finished: (body, truncated) => {
        this.resolve({ body, truncated, ...head });
        feed.finish(truncated);
      },
      failed: (cause) => feed.cancel('protocol', 'The compressed body is damaged.', cause),
      drained: () => feed.resume(),
    });
  }

  write(chunk: Buffer): boolean {
    return this.collector?.write(chunk) ?? true;
  }

  end(): void {
    this.collector?.end();
  }

  fail(error: EgressError): void {
    this.collector?.discard();
    this.reject(error);
  }
}
