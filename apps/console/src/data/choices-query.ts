import type { InfiniteData, UseInfiniteQueryOptions } from '@tanstack/react-query';
import type { Page } from '../../../../packages/sdk/src/index.js';

export const CHOICES_AT_ONCE = 100;

type Pages<Item> = InfiniteData<Page<Item>>;

/** Query for things that fields offer, page by page. They may be a minute old. */
export function choicesQuery<Item>(
  queryKey: readonly string[],
  read: (page: { cursor?: string; limit: number }) => PromiseLike<Page<Item>>,
): UseInfiniteQueryOptions<Page<Item>, Error, Pages<Item>, readonly string[], string | undefined> {
  return {
    queryKey,
    queryFn: async ({ pageParam: cursor }) => read({ limit: CHOICES_AT_ONCE, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 60_000,
  };
}
