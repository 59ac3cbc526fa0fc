import { setTimeout as pause } from 'node:timers/promises';

const SHORTEST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 250;
/**
 * Pause between two attempts, as a share of the time that has passed since the first attempt. After a long time, the
 * pauses are long, so that they leave CPU time for the tested processes.
 */
const PAUSE_SHARE = 0.1;

/**
 * Repeats an assertion until it passes, and returns its value. After `within` milliseconds (default 120 000), throws
 * the last error of the assertion. Use this function instead of a fixed sleep.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { within = 120_000 }: { within?: number } = {},
): Promise<T> {
  const begun = Date.now();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() >= begun + within) throw error;
    }
    const pauseMs = (Date.now() - begun) * PAUSE_SHARE;
    await pause(Math.min(MAX_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)));
  }
}
