import { useEffect } from 'react';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged } from './changes.js';

/** Reads the queries below `queryKey` again when runs change, without requests while nothing does. */
export function useRefreshOnRuns(queryKey: readonly unknown[], agent?: string): void {
  const text = JSON.stringify(queryKey);
  useEffect(
    () =>
      onRunsChanged((changed) => {
        if (agent === undefined || changed.some((run) => run.agent === agent))
          void queryClient.invalidateQueries({ queryKey });
      }),
    // The text stands for the key, which is a new object each time.
    [text, agent],
  );
}
