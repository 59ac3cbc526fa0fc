import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { usePlaceholder } from '../data/paged-list.js';
import { queryClient } from '../data/query-client.js';
import { onRunsChanged, whenRead } from '../live/changes.js';

type Query = Record<string, string | string[]>;
type RunPage = Awaited<ReturnType<typeof aas.runs.list>>;
type Pages = InfiniteData<RunPage, string | undefined>;

const LIMIT = 50;
/** Maximum number of ids that a request may list. */
const MAX_IDS = 100;

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
    let isShown = true;
    const unsubscribe = onRunsChanged((changed) => {
      void readChanged(
        key,
        query,
        changed?.map(({ id }) => id),
      ).then((found) => {
        if (isShown && found.length > 0) setIds((before) => new Set([...before, ...found]));
      });
    });
    return () => {
      isShown = false;
      unsubscribe();
    };
    // The effect depends on `text`, because `key` and `query` are new objects in each render.
  }, [text]);
  return { ids, clear: () => setIds(NOTHING) };
}

/**
 * Reads the changed runs, updates those in the list and returns the ids of the others that match the filters. Without
 * `changed`, updates all listed runs that have not ended.
 */
async function readChanged(key: readonly unknown[], query: Query, changed?: readonly string[]): Promise<string[]> {
  await whenRead(key);
  const listed = queryClient.getQueryData<Pages>(key)?.pages.flatMap(({ data }) => data) ?? [];
  const known = new Set(listed.map(({ id }) => id));
  const ids = changed ?? listed.filter(({ ended_at: end }) => end === null).map(({ id }) => id);
  const old = ids.filter((id) => known.has(id)).slice(0, MAX_IDS);
  const [updated, fresh] = await Promise.all([
    readRuns({}, old),
    readRuns(
      query,
      ids.filter((id) => !known.has(id)),
    ),
  ]);
  const now = new Map(updated.map((run) => [run.id, run]));
  if (updated.length > 0)
    queryClient.setQueryData<Pages>(
      key,
      (before) =>
        before && {
          ...before,
          pages: before.pages.map((page) => ({ ...page, data: page.data.map((run) => now.get(run.id) ?? run) })),
        },
    );
  return fresh.map(({ id }) => id);
}

async function readRuns(query: Query, ids: readonly string[]): Promise<Run[]> {
  return ids.length === 0 ? [] : (await readPage({ ...query, id: [...ids], limit: String(MAX_IDS) })).data;
}
