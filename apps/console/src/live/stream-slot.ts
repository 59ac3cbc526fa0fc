/**
 * Names of the locks for the stream slots. A tab needs a slot to open an event stream. A browser opens at most six
 * HTTP/1.1 connections to a server, for all tabs together. Two slots therefore leave four connections for requests.
 */
const SLOTS = ['console-stream-1', 'console-stream-2'];

/**
 * Runs `work` while this tab holds one of the two stream slots of the browser. Returns false at once if no slot is
 * free, or if the browser offers no Web Locks API, as on pages served over plain HTTP.
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
