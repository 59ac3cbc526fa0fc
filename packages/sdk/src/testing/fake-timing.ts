import { reasonOf, type Timing } from '../timing.js';

/** event-stream.ts closes a connection that is silent for this time. A fake `sleep` of this time does not return. */
const SILENCE_MILLIS = 45_000;

/** A clock that advances only when code calls `sleep`. `sleep` returns at once. */
export class FakeTiming implements Timing {
  readonly pauses: number[] = [];
  private time = Date.UTC(2026, 0, 31);

  constructor(private readonly share = 1) {}

  now(): number {
    return this.time;
  }

  random(): number {
    return this.share;
  }

  sleep(millis: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(reasonOf(signal));
    if (millis === SILENCE_MILLIS) {
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(reasonOf(signal))));
    }
    this.pauses.push(millis);
    this.time += millis;
    return Promise.resolve();
  }
}
