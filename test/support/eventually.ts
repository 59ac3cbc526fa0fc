import { setTimeout as pause } from 'node:timers/promises';

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 100;
/**
 * Length of the pause between two attempts, as a share of the time waited so far. The pauses of a long wait become
 * longer, so that the wait uses little CPU time of the tested processes.
 */
const PAUSE_SHARE = 0.1;

/**
 * Repeats an assertion until it passes, and returns its value. Throws the last error of the assertion after `within`
 * milliseconds (default 120 000). Use this function instead of a fixed sleep.
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
    await pause(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)));
  }
}
