/**
 * Returns a signal that aborts after `millis` milliseconds, or when one of the other signals aborts.
 *
 * Node 20 may collect the signals of `AbortSignal.any` and `AbortSignal.timeout` as garbage before they have aborted, and
 * their listeners are then never called. A signal with a time limit and a listener is kept, and its listener keeps the
 * other signal.
 */
export function abortWithin(millis: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(millis);
  const signal = AbortSignal.any([...others, limit]);
  limit.addEventListener('abort', () => signal);
  return signal;
}
