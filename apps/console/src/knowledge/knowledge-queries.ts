import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Page } from '../../../../packages/sdk/src/index.js';
import { aas } from '../data/api.js';
import type { Connector, KnowledgeBase, Source } from './knowledge-types.js';

export const BASES = ['knowledge'] as const;

/** Returns the prefix of the query keys of a knowledge base. `id` is its id or `name:<name>`, as in the page URL. */
export function baseKey(id: string): readonly unknown[] {
  return [...BASES, id];
}

export function useBase(id: string): UseQueryResult<KnowledgeBase> {
  return useQuery({ queryKey: [...baseKey(id), 'base'], queryFn: () => aas.knowledgeBases.get(id) });
}

const SYNC_POLL_MILLIS = 5_000;

/** Reads at most 100 sources of a knowledge base. While one of them is syncing, reads them again every five seconds. */
export function useSources(id: string): UseQueryResult<Page<Source>> {
  return useQuery({
    queryKey: [...baseKey(id), 'sources'],
    queryFn: () => aas.sources.list(id, { limit: 100 }),
    refetchInterval: ({ state }) => (state.data?.data.some(isSyncing) === true ? SYNC_POLL_MILLIS : false),
  });
}

export function isSyncing({ last_sync: sync }: Source): boolean {
  return sync?.status === 'queued' || sync?.status === 'running';
}

export function useConnectors(): UseQueryResult<{ data: readonly Connector[] }> {
  return useQuery({ queryKey: ['connectors'], queryFn: () => aas.connectors.list(), staleTime: 60_000 });
}

const NO_CONNECTORS: readonly Connector[] = [];

/**
 * Returns a function from the kind of a connector to its title. While the titles are not loaded, the function returns
 * the kind.
 */
export function useConnectorTitle(): (kind: string) => string {
  const connectors = useConnectors().data?.data ?? NO_CONNECTORS;
  return (kind) => connectors.find((connector) => connector.kind === kind)?.title ?? kind;
}

/** Returns a function from a source to its title, for example `Website · https://example.com`. */
export function useSourceTitle(): (source: Pick<Source, 'connector' | 'config'>) => string {
  const titleOf = useConnectorTitle();
  return (source) => [titleOf(source.connector), sourceScope(source)].filter(Boolean).join(' · ');
}

/**
 * Returns a short text about what the source reads: the first string in its configuration that is not a masked secret.
 */
function sourceScope({ config }: Pick<Source, 'config'>): string | undefined {
  const texts = Object.entries(config).flatMap(([name, value]) =>
    name === 'schedule' ? [] : Array.isArray(value) ? (value as unknown[]).slice(0, 1) : [value],
  );
  return texts.find((text): text is string => typeof text === 'string' && text !== '' && text !== '***');
}
