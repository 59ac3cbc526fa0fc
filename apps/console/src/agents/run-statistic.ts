import type { aas } from '../data/api.js';
import { sumOfCosts } from '../ui/costs.js';
import type { Money } from '../ui/format-values.js';

/** One row of the run statistics, for example the runs of one agent on one day. Counts only runs that have ended. */
export type RunStatistic = Awaited<ReturnType<typeof aas.statistics.runs>>['data'][number];

export interface Health {
  runs: number;
  failed: number;
  costs: readonly Money[];
}

/** Sums the runs, the failed runs and the costs of each agent. */
export function healthOf(statistics: readonly RunStatistic[]): ReadonlyMap<string, Health> {
  const health = new Map<string, Health>();
  for (const { agent, runs, failed, cost } of statistics) {
    if (agent === undefined) continue;
    const before = health.get(agent) ?? { runs: 0, failed: 0, costs: [] };
    health.set(agent, {
      runs: before.runs + runs,
      failed: before.failed + failed,
      costs: sumOfCosts([...before.costs, cost]),
    });
  }
  return health;
}
