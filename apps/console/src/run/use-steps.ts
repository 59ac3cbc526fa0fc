import { useMemo, useSyncExternalStore } from 'react';
import type { TraceStep } from '../data/api.js';
import type { TraceStore } from '../live/trace-store.js';

/** Returns the steps that have been read so far. */
export function useSteps(store: TraceStore): readonly TraceStep[] {
  const version = useSyncExternalStore(store.subscribe, store.getVersion);
  return useMemo(() => store.steps.filter((step: TraceStep | undefined) => step !== undefined), [store, version]);
}
