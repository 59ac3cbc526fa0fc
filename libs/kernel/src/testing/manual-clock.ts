import { Clock } from '../clock.js';

interface Sleeper {
  until: number;
  wake: () => void;
}

/** A clock that advances only when the test calls {@link ManualClock.pass}. */
export class ManualClock extends Clock {
  private millis: number;
  private readonly sleepers = new Set<Sleeper>();

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    super();
    this.millis = new Date(start).getTime();
  }

  override now(): Date {
    return new Date(this.millis);
  }

  override monotonicMillis(): number {
    return this.millis;
  }

  override sleep(millis: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { until: this.millis + millis, wake: resolve };
      if (millis <= 0 || signal?.aborted) return resolve();
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', () => this.wake(sleeper), { once: true });
    });
  }

  pass(millis: number): void {
    this.millis += millis;
    for (const sleeper of this.sleepers) if (sleeper.until <= this.millis) this.wake(sleeper);
  }

  private wake(sleeper: Sleeper): void {
    this.sleepers.delete(sleeper);
    sleeper.wake();
  }
}
