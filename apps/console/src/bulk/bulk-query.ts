import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { aas, ApiError } from '../data/api.js';

export type BulkAction = Awaited<ReturnType<typeof aas.bulkActions.get>>;
export type BulkResult = BulkAction['results'][number];

const LIMIT = 100;
const POLL_MILLIS = 2_000;

export interface BulkActionPages {
  /** The bulk action as it was read last, without its results. */
  action: BulkAction | undefined;
  results: readonly BulkResult[];
  isPending: boolean;
  error: unknown;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
}

/** A bulk action and its results in pages. They are read again until every run has a result. */
export function useBulkAction(id: string): BulkActionPages {
  const pages = useInfiniteQuery({
    queryKey: ['bulk-action', id],
    queryFn: ({ pageParam: cursor }) =>
      aas.bulkActions.get(id, { limit: LIMIT, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data, error } }) => {
      const isRefused = error instanceof ApiError && error.status < 500;
      // Each page is of another moment, so one may have results that an earlier one lacks.
      const isComplete = data?.pages.every(({ status }) => status === 'completed') === true;
      return isRefused || isComplete ? false : POLL_MILLIS;
    },
  });
  return {
    // The last page was read last.
    action: pages.data?.pages.at(-1),
    results: pages.data?.pages.flatMap(({ results }) => results) ?? [],
    isPending: pages.isPending,
    error: pages.error,
    hasMore: pages.hasNextPage,
    isReadingMore: pages.isFetchingNextPage,
    readMore: () => void pages.fetchNextPage(),
  };
}

/** Reads page after page while `isWanted`: the API has no filter for results. */
export function useAllPages({ hasMore, isReadingMore, readMore, error }: BulkActionPages, isWanted: boolean): void {
  const isNext = isWanted && hasMore && !isReadingMore && error === null;
  useEffect(() => {
    if (isNext) readMore();
    // Once for each page: `readMore` is a new function each time.
  }, [isNext]);
}
