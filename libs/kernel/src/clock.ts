/**
 * Time as a dependency: domain code asks a clock, so that tests decide what time it is. A class, so that it is its own
 * injection token; modules provide {@link systemClock} for it.
 */
export abstract class Clock {
  /** Wall-clock time. Never compared with a time that Postgres wrote: due times are decided by the database's clock. */
  abstract now(): Date;

  /** Milliseconds that only go forward, also across clock changes and while the process was suspended. */
  abstract monotonicMillis(): number;

  /** Resolves after `millis`, or at once when `signal` aborts; it never rejects. */
  abstract sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

/** Resolves when all else of this process that is ready to go on has had its turn: for between two pieces of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMillis: () => performance.now(),
  sleep: (millis, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, millis);
      signal?.addEventListener('abort', done);
    }),
};
