/** Source of the time, of pauses and of random numbers. Tests replace it. */
export interface Timing {
  now(): number;
  /** Waits this many milliseconds. If `signal` aborts, rejects with the reason of the signal. */
  sleep(millis: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

export const systemTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (millis, signal) =>
    new Promise((resolve, reject) => {
      const abort = (): void => {
        clearTimeout(timer);
        reject(reasonOf(signal));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      }, millis);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    }),
};

/** Returns the reason of an aborted signal. `fetch` rejects with the same error. */
export function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error;
}

/**
 * A signal that aborts when the outer signal aborts or when `abort` is called. Call `release` when the call has ended.
 */
export interface LinkedSignal {
  signal: AbortSignal;
  abort(reason?: unknown): void;
  release(): void;
}

/**
 * Creates a {@link LinkedSignal}. Unlike `AbortSignal.any`, it can be undone: `release` removes the listener from the
 * outer signal, which may outlive many calls.
 */
export function linkedSignal(outer: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  else outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => outer?.removeEventListener('abort', abort),
  };
}

const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/**
 * Performs `work` with a signal. The signal aborts when the outer signal aborts. After `millis`, it aborts with the
 * error that `timeoutError` returns.
 */
export async function within<T>(
  limit: { millis: number; signal: AbortSignal | undefined; timeoutError: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const linked = linkedSignal(limit.signal);
  // A limit above `MAX_TIMER_MILLIS` gets no timer, because Node.js would fire a timer with a longer delay at once.
  const timer = limit.millis <= MAX_TIMER_MILLIS && setTimeout(() => linked.abort(limit.timeoutError()), limit.millis);
  try {
    return await work(linked.signal);
  } finally {
    if (timer !== false) clearTimeout(timer);
    linked.release();
  }
}
