import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Repeats an assertion until it stops throwing and answers its value. After `within` milliseconds (default 60 000) it throws what the
 * assertion threw last. For what happens soon but not at once; it replaces every fixed sleep.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { within = 60_000 }: { within?: number } = {},
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await pause(LOOK_EVERY_MS);
  }
}
