import { useQuery } from '@tanstack/react-query';
import { aas, type Agent } from './api.js';

const NONE: readonly Agent[] = [];

/** The agents that can be chosen, at most 100. */
export function useAgents(): readonly Agent[] {
  const { data } = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: () => aas.agents.list({ limit: 100 }),
    staleTime: 60_000,
  });
  return data?.data ?? NONE;
}

/** The name where it is known, else the id. */
export function nameOf(
  { agent, agent_name: name }: { agent: string; agent_name?: string },
  agents: readonly Agent[],
): string {
  return name ?? agents.find(({ id }) => id === agent)?.name ?? agent;
}
