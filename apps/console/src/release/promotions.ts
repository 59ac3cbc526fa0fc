import { useQuery } from '@tanstack/react-query';
import { aas, type Agent, type AgentVersion } from '../data/api.js';

interface AgentPromotion {
  version: number;
  at: string;
  by: string;
}

/** Returns the latest 100 promotions of the agent, newest first. The first version needs no promotion. */
export function usePromotions({ id }: Pick<Agent, 'id'>): readonly AgentPromotion[] | undefined {
  const { data } = useQuery({
    queryKey: ['agent', id, 'promotions'],
    queryFn: () => aas.events.list({ type: ['agent.promoted'], agent: id, limit: 100 }),
  });
  return data?.data.map(({ data: { production_version: version, promoted_by: by }, timestamp: at }) => ({
    version: Number(version),
    by: String(by),
    at,
  }));
}

/**
 * Returns who put the version into production, and when. If the latest promotion is of another version, returns who
 * created this version, and when.
 */
export function promotionOf(
  version: AgentVersion,
  promotions: readonly AgentPromotion[],
): Pick<AgentPromotion, 'at' | 'by'> {
  const [latest] = promotions;
  return latest?.version === version.version ? latest : { at: version.created_at, by: version.created_by };
}
