import { queryOptions, useQuery } from '@tanstack/react-query';
import { aas } from '../data/api.js';
import { type Health, healthOf, type RunStatistic } from './run-statistic.js';

const DAY = 86_400_000;

/**
 * Returns the time `days` days ago as ISO 8601. It is rounded down to the hour, so that pages share one cached
 * response.
 */
export function daysAgo(days: number): string {
  return new Date(Math.floor((Date.now() - days * DAY) / 3_600_000) * 3_600_000).toISOString();
}

/** Returns the statistics of production runs. */
export function useStatistics(query: Parameters<typeof aas.statistics.runs>[0]): readonly RunStatistic[] | undefined {
  const { data } = useQuery({
    queryKey: ['statistics', query],
    queryFn: () => aas.statistics.runs({ ...query, mode: 'production' }),
    staleTime: 60_000,
  });
  return data?.data;
}

/** Counts the production runs of each agent, and those of them that failed, that ended in the last seven days. */
export function useHealth(): ReadonlyMap<string, Health> {
  const ended = useStatistics({ group_by: 'agent', since: daysAgo(7) });
  return healthOf(ended ?? []);
}

/** The 100 open approvals of production runs that expire first. */
export const OPEN_APPROVALS = queryOptions({
  queryKey: ['approvals', 'open', 'production'],
  queryFn: () =>
    aas.approvals.list({ status: ['open'], mode: 'production', sort: 'expires_at', order: 'asc', limit: 100 }),
});

/** Counts the {@link OPEN_APPROVALS} of each agent. */
export function useOpenApprovals(): ReadonlyMap<string, number> {
  const { data } = useQuery({ ...OPEN_APPROVALS, staleTime: 60_000 });
  const open = new Map<string, number>();
  for (const { agent } of data?.data ?? []) open.set(agent, (open.get(agent) ?? 0) + 1);
  return open;
}
