import type { EgressError } from './egress-error.js';
import type { AnswerFeed } from './exchange.js';

/** The bytes of a response after its beginning, no faster than they are read. */
export class RestOfBody {
  readonly stream: ReadableStream<Uint8Array>;
  private controller!: ReadableStreamDefaultController<Uint8Array>;

  constructor(
    private readonly feed: AnswerFeed,
    resume: () => void,
    private readonly released: () => void,
  ) {
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.controller = controller;
      },
      pull: resume,
      cancel: () => feed.cancel('aborted', 'The caller cancelled the rest of the response.'),
    });
  }

  /** Returns false to request a pause until `resume` is called. */
  write(chunk: Buffer): boolean {
    if (chunk.length > 0) this.controller.enqueue(chunk);
    return (this.controller.desiredSize ?? 1) > 0;
  }

  end(): void {
    this.controller.close();
    this.feed.finish(false);
    this.released();
  }

  fail(error: EgressError): void {
    this.controller.error(error);
  }
}
