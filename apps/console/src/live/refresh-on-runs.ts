import { useEffect } from 'react';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged } from './changes.js';

/**
 * Reads all queries whose keys begin with `queryKey` again when a run changes. With `agent`, only runs of this agent
 * count.
 */
export function useRefreshOnRuns(queryKey: readonly unknown[], agent?: string): void {
  const text = JSON.stringify(queryKey);
  useEffect(
    () =>
      onRunsChanged((changed) => {
        if (agent === undefined || changed.some((run) => run.agent === agent))
          void queryClient.invalidateQueries({ queryKey });
      }),
    // The dependency is the text of `queryKey`, because the key is a new object in each render.
    [text, agent],
  );
}
