import { useEffect } from 'react';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged } from './changes.js';

/**
 * When a run changes, reads again all queries whose keys begin with `queryKey`. If `agent` is set, reacts only to runs
 * of this agent.
 */
export function useRefreshOnRuns(queryKey: readonly unknown[], agent?: string): void {
  const text = JSON.stringify(queryKey);
  useEffect(
    () =>
      onRunsChanged((changed) => {
        if (agent === undefined || changed.some((run) => run.agent === agent))
          void queryClient.invalidateQueries({ queryKey });
      }),
    // The effect depends on the text of `queryKey`, because `queryKey` is a new object in each render.
    [text, agent],
  );
}
