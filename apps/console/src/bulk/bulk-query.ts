import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { aas, ApiError, type Run } from '../data/api.js';

export type BulkAction = Awaited<ReturnType<typeof aas.bulkActions.get>>;
export type BulkResult = BulkAction['results'][number];

/** Maximum number of results, and of runs that the run list filters by id, in one response of the API. */
export const LIMIT = 100;
const POLL_MILLIS = 2_000;

export interface BulkActionPages {
  /** The latest state of the bulk action. Its field `results` contains only the last page that was read. */
  action: BulkAction | undefined;
  results: readonly BulkResult[];
  isPending: boolean;
  error: unknown;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
}

/** Reads the bulk action and its results page by page. Polls until the bulk action is completed. */
export function useBulkAction(id: string): BulkActionPages {
  const pages = useInfiniteQuery({
    queryKey: ['bulk-action', id],
    queryFn: ({ pageParam: cursor }) =>
      aas.bulkActions.get(id, { limit: LIMIT, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data, error } }) => {
      const isRefused = error instanceof ApiError && error.status < 500;
      // Every page contains the status of the bulk action. Earlier pages may have been read before its completion.
      const isComplete = data?.pages.every(({ status }) => status === 'completed') === true;
      return isRefused || isComplete ? false : POLL_MILLIS;
    },
  });
  return {
    // Pages are read in order, so the last page contains the latest state.
    action: pages.data?.pages.at(-1),
    results: pages.data?.pages.flatMap(({ results }) => results) ?? [],
    isPending: pages.isPending,
    error: pages.error,
    hasMore: pages.hasNextPage,
    isReadingMore: pages.isFetchingNextPage,
    readMore: () => void pages.fetchNextPage(),
  };
}

/**
 * Reads the run that each result created, or the run that it concerns if it created none. Polls until the created runs
 * have ended. Returns the runs by their ids.
 */
export function useResultRuns(results: readonly BulkResult[]): ReadonlyMap<string, Run> {
  const pages = Math.ceil(results.length / LIMIT);
  const reads = useQueries({
    queries: Array.from({ length: pages }, (_, page) => {
      const part = results.slice(page * LIMIT, (page + 1) * LIMIT);
      const replays = new Set(part.flatMap(({ replay }) => replay ?? []));
      const id = part.map(({ run, replay }) => replay ?? run);
      return {
        queryKey: ['runs', 'of-results', id],
        queryFn: () => aas.runs.list({ id, limit: LIMIT }),
        refetchInterval: ({ state: { data } }: { state: { data?: { data: Run[] } | undefined } }) =>
          data?.data.some((run) => replays.has(run.id) && run.ended_at === null) === true ? POLL_MILLIS : false,
      };
    }),
  });
  return new Map(reads.flatMap(({ data }) => data?.data ?? []).map((run) => [run.id, run]));
}
