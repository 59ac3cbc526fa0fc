import { useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '../../../../packages/sdk/src/index.js';

export interface PagedList<Item> {
  items: readonly Item[];
  /** True until the first answer; a list that is not asked for is not pending. */
  isPending: boolean;
  error: unknown;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
}

const REFETCH_MILLIS = 5_000;

export interface PagedListOptions<Item> {
  /** False: the person may not read it, so that nothing is asked. */
  enabled?: boolean;
  /** True while an item is about to change: the list is read again every five seconds. */
  changesSoon?: (items: readonly Item[]) => boolean;
}

/** A list of the API in pages: each further page is read when the person asks for it. */
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
    refetchInterval: ({ state }) =>
      changesSoon?.(state.data?.pages.flatMap(({ data }) => data) ?? []) === true && REFETCH_MILLIS,
  });
  return {
    items: list.data?.pages.flatMap(({ data }) => data) ?? [],
    isPending: enabled && list.isPending,
    error: list.error,
    hasMore: list.hasNextPage,
    isReadingMore: list.isFetchingNextPage,
    readMore: () => void list.fetchNextPage(),
  };
}
