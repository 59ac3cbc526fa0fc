import { durationMillis } from '../../../../packages/sdk/src/durations.js';
import type { Duration } from '../../../../packages/sdk/src/index.js';

/** The deadline of `--timeout`. Without this option, there is no deadline. */
export class Deadline {
  private readonly at: number;

  constructor(timeout: Duration | undefined) {
    this.at = timeout === undefined ? Infinity : Date.now() + durationMillis(timeout, 'timeout');
  }

  get isOver(): boolean {
    return Date.now() >= this.at;
  }

  /** Shortens a pause in milliseconds that would exceed the deadline. */
  pauseWithin(millis: number): number {
    return Math.max(0, Math.min(millis, this.at - Date.now()));
  }
}
