import { useQuery } from '@tanstack/react-query';
import { aas, type Agent } from './api.js';

const NONE: readonly Agent[] = [];

export const MAX_LISTED_AGENTS = 100;

/** Returns at most {@link MAX_LISTED_AGENTS} agents, for select fields. */
export function useAgents(): readonly Agent[] {
  const { data } = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: () => aas.agents.list({ limit: MAX_LISTED_AGENTS }),
    staleTime: 60_000,
  });
  return data?.data ?? NONE;
}

/** Returns the name of the agent with this id, or the id itself if `agents` does not contain the agent. */
export function nameOf(agent: string, agents: readonly Pick<Agent, 'id' | 'name'>[]): string {
  return agents.find(({ id }) => id === agent)?.name ?? agent;
}
