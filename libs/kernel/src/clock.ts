/** Time as a dependency: domain code asks a clock, so that tests decide what time it is. */
export interface Clock {
  /** Wall-clock time. Never compared with a time that Postgres wrote: due times are decided by the database's clock. */
  now(): Date;
  /** Milliseconds that only go forward, also across clock changes and while the process was suspended. */
  monotonicMillis(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMillis: () => performance.now(),
};
