import { AnswerGuard } from './answer-guard.js';

type Fetch = typeof fetch;

/**
 * Wraps `fetch` and stores the first network error, because the provider library may throw a different error instead.
 */
export class WatchedFetch {
  failure: unknown;

  constructor(private readonly inner: Fetch) {}

  readonly fetch: Fetch = async (input, init) => {
    try {
      const answer = await this.inner(input, init);
      const isStream = /^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? '');
      const body = answer.body && this.watched(answer.body, new AnswerGuard(isStream));
      return new Response(body, { status: answer.status, headers: answer.headers });
    } catch (error) {
      throw this.seen(error);
    }
  };

  private watched(body: ReadableStream<Uint8Array>, guard: AnswerGuard): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          guard.check(value);
          controller.enqueue(value);
        } catch (error) {
          controller.error(this.seen(error));
          await reader.cancel(error).catch(() => undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  private seen(error: unknown): unknown {
    this.failure ??= error;
    return error;
  }
}
