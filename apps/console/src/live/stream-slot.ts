/** Browsers open six connections per server over all tabs. Streams that stay open must leave some for requests. */
const SLOTS = ['console-stream-1', 'console-stream-2'];

/**
 * Does `work` while this tab holds one of the two streams that all tabs of the browser share. Resolves to false at once
 * if none is free, or if the browser offers no locks (a page of plain HTTP outside of this machine).
 */
export async function withStreamSlot(work: () => Promise<void>): Promise<boolean> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks === undefined) return false;
  for (const name of SLOTS) {
    const isDone = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock === null) return false;
      await work();
      return true;
    });
    if (isDone) return true;
  }
  return false;
}
