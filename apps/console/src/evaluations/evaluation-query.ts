import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { aas } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged } from '../live/changes.js';
import { type Evaluation, isRunning } from './evaluation-results.js';

/**
 * Poll interval while the evaluation runs. A long interval suffices, because the change feed reports when runs of the
 * agent change.
 */
const POLL_MILLIS = 10_000;

export function useEvaluation(id: string | undefined): UseQueryResult<Evaluation> {
  const query = useQuery({
    queryKey: ['evaluation', id],
    queryFn: () => aas.evaluations.get(id ?? ''),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? POLL_MILLIS : false),
  });
  const running = query.data && isRunning(query.data) ? query.data.agent : undefined;
  useEffect(() => {
    if (running === undefined) return;
    return onRunsChanged((runs) => {
      if (runs?.some(({ agent }) => agent === running) === true)
        void queryClient.invalidateQueries({ queryKey: ['evaluation', id] });
    });
  }, [id, running]);
  return query;
}
