import { useEffect, useState } from 'react';
import { followRun } from './follow-run.js';
import type { TraceStore } from './trace-store.js';

/**
 * Keeps the trace of the run up to date while the page is open, as soon as `isFound`. If an error ends the updates,
 * returns this error. For `fields`, see {@link followRun}.
 */
export function useTrace(run: string, store: TraceStore, isFound: boolean, fields?: 'summary'): unknown {
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    if (!isFound) return undefined;
    const leaving = new AbortController();
    followRun(run, store, leaving.signal, fields).catch((error: unknown) => {
      if (!leaving.signal.aborted) setFailure(error);
    });
    return () => leaving.abort();
  }, [run, store, isFound, fields]);
  return failure;
}
