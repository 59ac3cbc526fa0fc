/** Clock, pauses and random numbers. Tests replace them. */
export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits. If `signal` aborts, rejects with its reason. */
  sleep(millis: number, signal: AbortSignal): Promise<void>;
  /** Returns a random number, at least 0 and less than 1. */
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

/** Error of a call whose signal has aborted: the reason of the signal, as with `fetch`. */
export function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error;
}

/** A signal that aborts together with the caller's signal, or by `abort`. Call `release` when the call has ended. */
export interface LinkedSignal {
  signal: AbortSignal;
  abort(reason?: unknown): void;
  release(): void;
}

/** Unlike `AbortSignal.any`, removes its listener from the outer signal, which may outlive many calls. */
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

const LONGEST_TIMER_MILLIS = 2 ** 31 - 1;

/**
 * Performs `work` with a signal that aborts with the caller's, and with the error of `timeoutError` after `millis`.
 */
export async function within<T>(
  limit: { millis: number; signal: AbortSignal | undefined; timeoutError: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const linked = linkedSignal(limit.signal);
  // Node fires a timer with a longer delay at once.
  const timer =
    limit.millis <= LONGEST_TIMER_MILLIS && setTimeout(() => linked.abort(limit.timeoutError()), limit.millis);
  try {
    return await work(linked.signal);
  } finally {
    if (timer !== false) clearTimeout(timer);
    linked.release();
  }
}
