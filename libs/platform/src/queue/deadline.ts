import { setTimeout as pause } from 'node:timers/promises';

/** Whether `work` settles, successfully or not, within `millis`. The work continues in either case. */
export async function settlesWithin(work: Promise<unknown>, millis: number): Promise<boolean> {
  const timer = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const late = pause(millis, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([settled, late]);
  timer.abort();
  return inTime;
}
