import type { RunStatistic } from '../agents/health.js';

export interface Day {
  /** Start of the UTC day. */
  start: string;
  succeeded: number;
  failed: number;
  /** Runs that were handed off or cancelled. */
  other: number;
  cost: number;
}

const DAY_MILLIS = 86_400_000;

/**
 * Returns the runs and costs of the last `count` UTC days, including days without runs. Omits costs in currencies other
 * than `currency`.
 */
export function lastDays(statistics: readonly RunStatistic[], currency: string, now: number, count: number): Day[] {
  const first = (Math.floor(now / DAY_MILLIS) - count + 1) * DAY_MILLIS;
  const days = Array.from({ length: count }, (_, index) => ({
    start: new Date(first + index * DAY_MILLIS).toISOString(),
    succeeded: 0,
    failed: 0,
    other: 0,
    cost: 0,
  }));
  for (const { start, runs, status, cost } of statistics) {
    const day = days[Math.round((Date.parse(start) - first) / DAY_MILLIS)];
    if (day === undefined) continue;
    day[status === 'succeeded' || status === 'failed' ? status : 'other'] += runs;
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

/**
 * Returns the round numbers at which an axis is marked, at most five. The first number is 0, and the last number is at
 * least `most`.
 */
export function axisMarks(most: number, smallestStep = 0): number[] {
  if (most <= 0) return [0, Math.max(1, smallestStep)];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = Math.max(factor * power, smallestStep);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}
