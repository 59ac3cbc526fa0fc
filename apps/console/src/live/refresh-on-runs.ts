import { useEffect } from 'react';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged } from './changes.js';

/** Reads the queries below `queryKey` again when a run changes. With `agent`, only the runs of this agent count. */
export function useRefreshOnRuns(queryKey: readonly unknown[], agent?: string): void {
  const text = JSON.stringify(queryKey);
  useEffect(
    () =>
      onRunsChanged((changed) => {
        if (agent === undefined || changed.some((run) => run.agent === agent))
          void queryClient.invalidateQueries({ queryKey });
      }),
    // The text replaces the key, which is a new object on each render.
    [text, agent],
  );
}
