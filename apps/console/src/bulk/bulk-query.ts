import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { aas, ApiError } from '../data/api.js';

export type BulkAction = Awaited<ReturnType<typeof aas.bulkActions.get>>;
export type BulkResult = BulkAction['results'][number];

const LIMIT = 100;
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
 * Reads all further pages if `isWanted` is true. The result filter needs them, because the API cannot filter results.
 */
export function useAllPages({ hasMore, isReadingMore, readMore, error }: BulkActionPages, isWanted: boolean): void {
  const isNext = isWanted && hasMore && !isReadingMore && error === null;
  useEffect(() => {
    if (isNext) readMore();
    // `readMore` is not a dependency, because each render creates a new function.
  }, [isNext]);
}
