/**
 * Returns a signal that aborts after `millis`, or with one of the others. Without the listener, Node 20 may collect both
 * signals before they abort.
 */
export function abortWithin(millis: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(millis);
  const signal = AbortSignal.any([...others, limit]);
  limit.addEventListener('abort', () => signal);
  return signal;
}
