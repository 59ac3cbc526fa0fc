const FIRST_PAUSE_MILLIS = 10;
const LONGEST_PAUSE_MILLIS = 250;

/**
 * Pauses between two reads for those who wait for runs. They are short after somebody began to wait, because most runs
 * end within milliseconds, and double up to the longest.
 */
export class WatchPace {
  private pause = FIRST_PAUSE_MILLIS;

  restart(): void {
    this.pause = FIRST_PAUSE_MILLIS;
  }

  /** Returns milliseconds. */
  nextPause(): number {
    const pause = this.pause;
    this.pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    return pause;
  }
}
