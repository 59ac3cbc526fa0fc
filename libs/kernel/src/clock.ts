export abstract class Clock {
  /**
   * Returns the wall-clock time. Do not compare it with times that Postgres wrote, because the clocks may differ. Only
   * the clock of the database decides what is due.
   */
  abstract now(): Date;

  abstract monotonicMillis(): number;

  /** Resolves after `millis`, or as soon as `signal` aborts. Never rejects. */
  abstract sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

/** Call it between two parts of long work so that other work can run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The longest delay of setTimeout, 24.8 days. A timer with a longer delay fires immediately. */
export const MAX_TIMER_MILLIS = 2 ** 31 - 1;

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
      const scheduleNext = () => {
        const left = end - performance.now();
        timer = left > MAX_TIMER_MILLIS ? setTimeout(scheduleNext, MAX_TIMER_MILLIS) : setTimeout(done, left);
      };
      let timer: NodeJS.Timeout;
      scheduleNext();
      signal?.addEventListener('abort', done);
    }),
};
