import { useQuery } from '@tanstack/react-query';
import { aas } from '../data/api.js';

/** One row of the run statistics, for example the runs of one agent on one day. Counts only runs that have ended. */
export type RunStatistic = Awaited<ReturnType<typeof aas.statistics.runs>>['data'][number];

interface StatisticsQuery {
  group_by: 'status' | 'agent';
  since?: string;
}

const DAY = 86_400_000;

/**
 * Returns the time `days` days ago as ISO 8601. It is rounded down to the hour, so that pages share one cached
 * response.
 */
export function daysAgo(days: number): string {
  return new Date(Math.floor((Date.now() - days * DAY) / 3_600_000) * 3_600_000).toISOString();
}

export function useStatistics(query: StatisticsQuery): readonly RunStatistic[] | undefined {
  const { data } = useQuery({
    queryKey: ['statistics', query],
    queryFn: () => aas.statistics.runs({ bucket: '1d', ...query }),
    staleTime: 60_000,
  });
  return data?.data;
}

export interface Health {
  runs: number;
  failed: number;
}

/**
 * Counts the runs and the failed runs of each agent in the last seven days. Only the latest 100 failed runs of all
 * agents together are counted.
 */
export function useHealth(): ReadonlyMap<string, Health> {
  const ended = useStatistics({ group_by: 'agent', since: daysAgo(7) });
  const { data: failures } = useQuery({
    queryKey: ['runs', 'failures', 7],
    queryFn: () => aas.runs.list({ status: ['failed'], since: daysAgo(7), limit: 100 }),
    staleTime: 60_000,
  });
  const health = new Map<string, Health>();
  const add = (agent: string, runs: number, failed: number): void => {
    const before = health.get(agent) ?? { runs: 0, failed: 0 };
    health.set(agent, { runs: before.runs + runs, failed: before.failed + failed });
  };
  for (const { agent, runs } of ended ?? []) if (agent !== undefined) add(agent, runs, 0);
  for (const { agent } of failures?.data ?? []) add(agent, 0, 1);
  return health;
}

/** Counts the open approvals of each agent among the 100 approvals that expire first. */
export function useOpenApprovals(): ReadonlyMap<string, number> {
  const { data } = useQuery({
    queryKey: ['approvals', 'by-agent'],
    queryFn: () => aas.approvals.list({ status: ['open'], sort: 'expires_at', order: 'asc', limit: 100 }),
    staleTime: 60_000,
  });
  const open = new Map<string, number>();
  for (const { agent } of data?.data ?? []) open.set(agent, (open.get(agent) ?? 0) + 1);
  return open;
}
