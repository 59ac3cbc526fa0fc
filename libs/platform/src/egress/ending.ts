import { LONGEST_TIMER_MILLIS } from '@app/kernel';
import type { Exchange } from './exchange.js';

/** The requests under way that one signal ends, by the signal. */
const underWay = new WeakMap<AbortSignal, EndedTogether>();

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
    else if (signal) (underWay.get(signal) ?? new EndedTogether(signal)).join(this);
  }

  /** From now on this is the exchange to end; at once, when the end has already come. */
  watch(exchange: Exchange): void {
    this.current = exchange;
    this.end?.(exchange);
  }

  get over(): boolean {
    return this.end !== undefined;
  }

  abort(): void {
    this.finish((exchange) =>
      exchange.cancel('aborted', 'The request was aborted by its caller.', this.signal?.reason),
    );
  }

  release(): void {
    clearTimeout(this.timer);
    if (this.signal) underWay.get(this.signal)?.leave(this);
  }

  private finish(end: (exchange: Exchange) => void): void {
    this.end ??= end;
    if (this.current) this.end(this.current);
  }
}

/**
 * One listener for a signal, however many requests listen to it: adding and removing one walks past all others. It goes with the
 * last of them, because Node keeps a composite signal in memory as long as somebody listens.
 */
class EndedTogether {
  private readonly endings = new Set<Ending>();

  constructor(private readonly signal: AbortSignal) {
    underWay.set(signal, this);
    signal.addEventListener('abort', this.abort, { once: true });
  }

  join(ending: Ending): void {
    this.endings.add(ending);
  }

  leave(ending: Ending): void {
    this.endings.delete(ending);
    if (this.endings.size > 0) return;
    underWay.delete(this.signal);
    this.signal.removeEventListener('abort', this.abort);
  }

  private readonly abort = (): void => {
    for (const ending of [...this.endings]) ending.abort();
  };
}
