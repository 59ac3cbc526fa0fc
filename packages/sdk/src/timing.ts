/** Clock, pauses and randomness, which tests replace. */
export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the reason of `signal` when it aborts. */
  sleep(millis: number, signal: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
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

/** What a call rejects with when its signal has aborted: the reason, as `fetch` does. */
export function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error;
}

/** A signal that aborts with the caller's, or by `abort`. Call `release` when the call is over. */
export interface LinkedSignal {
  signal: AbortSignal;
  abort(reason?: unknown): void;
  release(): void;
}

/** Unlike `AbortSignal.any`, leaves nothing behind at a signal that outlives many calls. */
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
  // A longer delay would fire at once.
  const timer =
    limit.millis <= LONGEST_TIMER_MILLIS && setTimeout(() => linked.abort(limit.timeoutError()), limit.millis);
  try {
    return await work(linked.signal);
  } finally {
    if (timer !== false) clearTimeout(timer);
    linked.release();
  }
}
