import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { usePlaceholder } from '../data/paged-list.js';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged } from '../live/changes.js';

type Query = Record<string, string | string[]>;
type RunPage = Awaited<ReturnType<typeof aas.runs.list>>;
type Pages = InfiniteData<RunPage, string | undefined>;

const LIMIT = 50;

const readPage = (query: Query): Promise<RunPage> =>
  Promise.resolve(aas.runs.list(query as Parameters<typeof aas.runs.list>[0]));

export interface RunList {
  runs: readonly Run[];
  /**
   * Number of runs that match the filters but are not in the list yet. Usually they started after the list was read.
   */
  fresh: number;
  isPending: boolean;
  /** Whether the runs are those of the previous filters, because there is no connection. */
  isOld: boolean;
  error: unknown;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
  /** Reads the list again, including the new runs. */
  reload: () => void;
}

/**
 * Reads runs page by page. When a listed run changes, updates it in place. New runs are only counted in `fresh`. They
 * are not inserted, because an insertion would move the rows.
 */
export function useRunList(query: Query): RunList {
  const key = ['runs', query];
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam: cursor }) =>
      readPage({ ...query, limit: String(LIMIT), ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Infinity,
    ...usePlaceholder(),
  });
  const fresh = useFreshRuns(key, query);
  return {
    runs: list.data?.pages.flatMap(({ data }) => data) ?? [],
    fresh: fresh.ids.size,
    isPending: list.isPending,
    isOld: list.isPlaceholderData,
    error: list.error,
    hasMore: list.hasNextPage,
    isReadingMore: list.isFetchingNextPage,
    readMore: () => void list.fetchNextPage(),
    reload: () => {
      fresh.clear();
      void queryClient.resetQueries({ queryKey: key });
    },
  };
}

const NOTHING: ReadonlySet<string> = new Set();

function useFreshRuns(key: readonly unknown[], query: Query): { ids: ReadonlySet<string>; clear: () => void } {
  const [ids, setIds] = useState(NOTHING);
  const text = JSON.stringify(key);
  useEffect(() => {
    setIds(NOTHING);
    return onRunsChanged((changed) => {
      const known = new Set(pagesOf(key)?.pages.flatMap(({ data }) => data.map(({ id }) => id)));
      const isKnown = ({ id }: { id: string }): boolean => known.has(id);
      void update(
        key,
        changed.filter(isKnown).map(({ id }) => id),
      );
      void countFresh(
        query,
        changed.filter((run) => !isKnown(run)).map(({ id }) => id),
      ).then((found) => {
        if (found.length > 0) setIds((before) => new Set([...before, ...found]));
      });
    });
    // The effect depends on `text`, because `key` and `query` are new objects in each render.
  }, [text]);
  return { ids, clear: () => setIds(NOTHING) };
}

function pagesOf(key: readonly unknown[]): Pages | undefined {
  return queryClient.getQueryData<Pages>(key);
}

async function update(key: readonly unknown[], ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { data } = await readPage({ id: [...ids], limit: '100' });
  const now = new Map(data.map((run) => [run.id, run]));
  queryClient.setQueryData<Pages>(
    key,
    (before) =>
      before && {
        ...before,
        pages: before.pages.map((page) => ({ ...page, data: page.data.map((run) => now.get(run.id) ?? run) })),
      },
  );
}

async function countFresh(query: Query, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { data } = await readPage({ ...query, id: [...ids], limit: '100' });
  return data.map(({ id }) => id);
}
