import { MAX_TIMER_MILLIS } from '@app/kernel';
import type { Exchange } from './exchange.js';

const sharedSignals = new WeakMap<AbortSignal, SharedSignal>();

export class RequestCancellation {
  private current: Exchange | undefined;
  private cancel: ((exchange: Exchange) => void) | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    timeoutMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    // The caller may already have spent a fraction of a millisecond of its time limit. The message names the limit.
    const limit = `${Math.ceil(timeoutMs)} ms`;
    this.timer = setTimeout(
      () => this.apply((exchange) => exchange.cancel('timeout', `No complete response was received within ${limit}.`)),
      Math.min(timeoutMs, MAX_TIMER_MILLIS),
    );
    if (signal?.aborted) this.abort();
    else if (signal) (sharedSignals.get(signal) ?? new SharedSignal(signal)).join(this);
  }

  /** If the request is already cancelled, cancels the exchange at once. */
  watch(exchange: Exchange): void {
    this.current = exchange;
    this.cancel?.(exchange);
  }

  get isCancelled(): boolean {
    return this.cancel !== undefined;
  }

  abort(): void {
    this.apply((exchange) => exchange.cancel('aborted', 'The caller aborted the request.', this.signal?.reason));
  }

  release(): void {
    clearTimeout(this.timer);
    if (this.signal) sharedSignals.get(this.signal)?.leave(this);
  }

  private apply(cancel: (exchange: Exchange) => void): void {
    this.cancel ??= cancel;
    if (this.current) this.cancel(this.current);
  }
}

/**
 * Adds one listener for all requests with the same signal, because adding or removing a listener takes time linear in
 * the number of listeners. The last request removes the listener, because Node keeps a composite signal in memory while
 * the signal has listeners.
 */
class SharedSignal {
  private readonly cancellations = new Set<RequestCancellation>();

  constructor(private readonly signal: AbortSignal) {
    sharedSignals.set(signal, this);
    signal.addEventListener('abort', this.abort, { once: true });
  }

  join(cancellation: RequestCancellation): void {
    this.cancellations.add(cancellation);
  }

  leave(cancellation: RequestCancellation): void {
    this.cancellations.delete(cancellation);
    if (this.cancellations.size > 0) return;
    sharedSignals.delete(this.signal);
    this.signal.removeEventListener('abort', this.abort);
  }

  private readonly abort = (): void => {
    for (const cancellation of [...this.cancellations]) cancellation.abort();
  };
}
