import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Page } from '../../../../packages/sdk/src/index.js';

import { useLostConnection } from './connection.js';

export interface PagedList<Item> {
  items: readonly Item[];
  /** True until the first response. Always false if the list is disabled. */
  isPending: boolean;
  /** Whether the items are those of the previous filters, because there is no connection. */
  isOld: boolean;
  error: unknown;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
}

/**
 * Without a connection, a list with other filters shows the rows that it had before. The page shows that they are old.
 */
export function usePlaceholder(): { placeholderData?: typeof keepPreviousData } {
  return useLostConnection() === null ? {} : { placeholderData: keepPreviousData };
}

const REFETCH_MILLIS = 5_000;

export interface PagedListOptions<Item> {
  /** Set to false if the person may not read the list. The hook then sends no request. */
  enabled?: boolean;
  /** Returns whether one of the items will change soon. If so, the list is read again every five seconds. */
  changesSoon?: (items: readonly Item[]) => boolean;
}

/** Reads a list of the API page by page. `readMore` reads the next page. */
export function usePagedList<Item>(
  queryKey: readonly unknown[],
  read: (page: { cursor?: string }) => PromiseLike<Page<Item>>,
  { enabled = true, changesSoon }: PagedListOptions<Item> = {},
): PagedList<Item> {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam: cursor }) => read(cursor === undefined ? {} : { cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    enabled,
    ...usePlaceholder(),
    refetchInterval: ({ state }) =>
      changesSoon?.(state.data?.pages.flatMap(({ data }) => data) ?? []) === true && REFETCH_MILLIS,
  });
  return {
    items: list.data?.pages.flatMap(({ data }) => data) ?? [],
    isPending: enabled && list.isPending,
    isOld: list.isPlaceholderData,
    error: list.error,
    hasMore: list.hasNextPage,
    isReadingMore: list.isFetchingNextPage,
    readMore: () => void list.fetchNextPage(),
  };
}

type NextPage = Pick<PagedList<unknown>, 'hasMore' | 'isReadingMore' | 'readMore' | 'error'>;

/** Reads all further pages if `isWanted` is true, for a filter or an order that the API does not have. */
export function useAllPages({ hasMore, isReadingMore, readMore, error }: NextPage, isWanted: boolean): void {
  const isNext = isWanted && hasMore && !isReadingMore && error === null;
  useEffect(() => {
    if (isNext) readMore();
    // `readMore` is not a dependency, because each render creates a new function.
  }, [isNext]);
}
