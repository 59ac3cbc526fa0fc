import { useQuery } from '@tanstack/react-query';
import { aas, type Agent } from './api.js';

const NONE: readonly Agent[] = [];

/** Returns at most 100 agents, for select fields. */
export function useAgents(): readonly Agent[] {
  const { data } = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: () => aas.agents.list({ limit: 100 }),
    staleTime: 60_000,
  });
  return data?.data ?? NONE;
}

/** Returns the name of the agent with this id, or the id itself if `agents` does not contain the agent. */
export function nameOf(
  { agent, agent_name: name }: { agent: string; agent_name?: string },
  agents: readonly Agent[],
): string {
  return name ?? agents.find(({ id }) => id === agent)?.name ?? agent;
}
