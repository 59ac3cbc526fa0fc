import { LONGEST_TIMER_MILLIS } from '@app/kernel';
import type { Exchange } from './exchange.js';

/** What ends a request from outside of the connection: its time limit or its caller. Covers all exchanges of the request. */
export class Ending {
  private current: Exchange | undefined;
  private end: ((exchange: Exchange) => void) | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    timeoutMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(
      () => this.finish((exchange) => exchange.cancel('timeout', `No complete answer within ${timeoutMs} ms.`)),
      Math.min(timeoutMs, LONGEST_TIMER_MILLIS),
    );
    if (signal?.aborted) this.abort();
    else signal?.addEventListener('abort', this.abort, { once: true });
  }

  /** From now on this is the exchange to end; at once, when the end has already come. */
  watch(exchange: Exchange): void {
    this.current = exchange;
    this.end?.(exchange);
  }

  get over(): boolean {
    return this.end !== undefined;
  }

  release(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.abort);
  }

  private readonly abort = (): void => {
    this.finish((exchange) =>
      exchange.cancel('aborted', 'The request was aborted by its caller.', this.signal?.reason),
    );
  };

  private finish(end: (exchange: Exchange) => void): void {
    this.end ??= end;
    if (this.current) this.end(this.current);
  }
}
