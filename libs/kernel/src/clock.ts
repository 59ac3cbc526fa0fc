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

/** The longest time that setTimeout takes, 24.8 days: beyond it fires at once. */
export const LONGEST_TIMER_MILLIS = 2 ** 31 - 1;

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
      const end = performance.now() + millis;
      const sleepOn = () => {
        const left = end - performance.now();
        timer = left > LONGEST_TIMER_MILLIS ? setTimeout(sleepOn, LONGEST_TIMER_MILLIS) : setTimeout(done, left);
      };
      let timer: NodeJS.Timeout;
      sleepOn();
      signal?.addEventListener('abort', done);
    }),
};
