import type { RunStatistic } from '../agents/run-statistic.js';

export interface Day {
  /** Start of the UTC day. */
  start: string;
  succeeded: number;
  failed: number;
  /** Runs that were handed off or cancelled. */
  other: number;
  cost: number;
  /** Active time of the succeeded runs in milliseconds. */
  p50: number;
  p95: number;
}

const DAY_MILLIS = 86_400_000;

/**
 * Returns the runs and costs of the last `count` UTC days, including days without runs. Omits costs in currencies other
 * than `currency`. Of the durations of runs in several currencies, each day has the longest.
 */
export function lastDays(statistics: readonly RunStatistic[], currency: string, now: number, count: number): Day[] {
  const first = (Math.floor(now / DAY_MILLIS) - count + 1) * DAY_MILLIS;
  const days = Array.from({ length: count }, (_, index) => ({
    start: new Date(first + index * DAY_MILLIS).toISOString(),
    succeeded: 0,
    failed: 0,
    other: 0,
    cost: 0,
    p50: 0,
    p95: 0,
  }));
  for (const { start, runs, status, cost, duration_ms: duration } of statistics) {
    const day = days[Math.round((Date.parse(start) - first) / DAY_MILLIS)];
    if (day === undefined) continue;
    day[status === 'succeeded' || status === 'failed' ? status : 'other'] += runs;
    if (status === 'succeeded') {
      day.p50 = Math.max(day.p50, duration.p50);
      day.p95 = Math.max(day.p95, duration.p95);
    }
    if (cost.currency === currency) day.cost += Number(cost.amount);
  }
  return days;
}

/** Returns the currency in which the costs of most runs are stated. Returns undefined if there are no runs. */
export function mainCurrency(statistics: readonly RunStatistic[]): string | undefined {
  const runs = new Map<string, number>();
  for (const { cost, runs: count } of statistics) runs.set(cost.currency, (runs.get(cost.currency) ?? 0) + count);
  return [...runs].sort(([, a], [, b]) => b - a)[0]?.[0];
}
