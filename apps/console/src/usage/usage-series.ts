import type { Usage, UsageReport } from './usage-query.js';

/** Sums of one group of the usage report. `costs` has one entry for each currency in which calls were paid. */
export interface UsageGroup {
  /** A day, the id of an agent, or the name of a model. */
  key: string;
  name: string;
  runs: number;
  input: number;
  output: number;
  /** Input tokens that providers read from their caches. */
  cached: number;
  costs: Usage['cost'][];
}

const DAY_MILLIS = 86_400_000;

/**
 * Returns the groups of a report. If the report is grouped by day, these are all days of the period. If it is grouped
 * by agent or by model, these are the agents or models, sorted by cost, highest first.
 */
export function groupsOf(report: UsageReport): UsageGroup[] {
  const groups = new Map<string, UsageGroup>();
  if (report.group_by === 'day') for (const day of daysOf(report)) groups.set(day, emptyGroup(day, day));
  for (const usage of report.data) {
    const key = usage.day ?? usage.agent ?? usage.model ?? '';
    const group = groups.get(key) ?? emptyGroup(key, usage.agent_name ?? key);
    groups.set(key, group);
    group.runs += usage.runs;
    group.input += usage.tokens.input;
    group.output += usage.tokens.output;
    group.cached += usage.tokens.cache_read;
    group.costs.push(usage.cost);
  }
  const all = [...groups.values()];
  return report.group_by === 'day' ? all : all.sort((a, b) => highestCost(b) - highestCost(a) || b.runs - a.runs);
}

function emptyGroup(key: string, name: string): UsageGroup {
  return { key, name, runs: 0, input: 0, output: 0, cached: 0, costs: [] };
}

function highestCost({ costs }: UsageGroup): number {
  return costs.reduce((highest, { amount }) => Math.max(highest, Number(amount)), 0);
}

/** Returns the UTC days of the period of the report. The day that begins at `until` is not included. */
function daysOf({ since, until }: UsageReport): string[] {
  const first = Math.floor(Date.parse(since) / DAY_MILLIS);
  const last = Math.floor((Date.parse(until) - 1) / DAY_MILLIS);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    new Date((first + index) * DAY_MILLIS).toISOString().slice(0, 10),
  );
}

export function costIn({ costs }: UsageGroup, currency: string): number {
  return costs.filter((cost) => cost.currency === currency).reduce((sum, { amount }) => sum + Number(amount), 0);
}

/** Compares a sum with the sum of the period of equal length before. */
export function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'as in the period before' : 'none in the period before';
  const percent = Math.round((now / before - 1) * 100);
  return percent === 0
    ? 'as in the period before'
    : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}% on the period before`;
}

/**
 * Agents that the workspace does not list are drafts, each with an id of its own, or archived. They are one group for
 * each name.
 */
export function withoutDrafts(groups: readonly UsageGroup[], listed: ReadonlySet<string>): UsageGroup[] {
  const merged = new Map<string, UsageGroup>();
  for (const group of groups) {
    const isListed = listed.has(group.key);
    const name = isListed ? group.name : `${group.name} (draft or archived)`;
    const key = isListed ? group.key : name;
    const before = merged.get(key);
    merged.set(key, before ? added(before, group) : { ...group, key, name });
  }
  return [...merged.values()];
}

function added(a: UsageGroup, b: UsageGroup): UsageGroup {
  return {
    ...a,
    runs: a.runs + b.runs,
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    costs: [...a.costs, ...b.costs],
  };
}
