import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { aas, type Agent } from './api.js';
import { CHOICES_AT_ONCE, choicesQuery } from './choices-query.js';

export const MAX_LISTED_AGENTS = CHOICES_AT_ONCE;

/** The agents. All fields and lists that name agents share it. */
export const AGENT_NAMES = choicesQuery(['agents', 'names'], (page) => aas.agents.list(page));

/** Returns the first {@link MAX_LISTED_AGENTS} agents, and the others if a field with a search has read them. */
export function useAgents(): readonly Agent[] {
  const { data } = useInfiniteQuery(AGENT_NAMES);
  return useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
}

/** Returns the name of the agent with this id, or the id itself if `agents` does not contain the agent. */
export function nameOf(agent: string, agents: readonly Pick<Agent, 'id' | 'name'>[]): string {
  return agents.find(({ id }) => id === agent)?.name ?? agent;
}
