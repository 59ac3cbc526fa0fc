import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { aas, type Agent } from './api.js';

export const MAX_LISTED_AGENTS = 100;

/** The agents, page by page. All fields and lists that name agents share it. */
export const AGENT_NAMES = infiniteQueryOptions({
  queryKey: ['agents', 'names'],
  queryFn: async ({ pageParam: cursor }) =>
    aas.agents.list({ limit: MAX_LISTED_AGENTS, ...(cursor !== undefined && { cursor }) }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor,
  staleTime: 60_000,
});

/** Returns the first {@link MAX_LISTED_AGENTS} agents, and the others if a field with a search has read them. */
export function useAgents(): readonly Agent[] {
  const { data } = useInfiniteQuery(AGENT_NAMES);
  return useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
}

/** Returns the name of the agent with this id, or the id itself if `agents` does not contain the agent. */
export function nameOf(agent: string, agents: readonly Pick<Agent, 'id' | 'name'>[]): string {
  return agents.find(({ id }) => id === agent)?.name ?? agent;
}
