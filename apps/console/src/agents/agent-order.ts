import type { Agent } from '../data/api.js';
import { matching } from '../data/known-options.js';
import type { Health } from './run-statistic.js';

export const SORTS = ['name', 'runs', 'failed', 'cost', 'last_run'] as const;
export type AgentSort = (typeof SORTS)[number];

export interface AgentOrder {
  sort: AgentSort;
  descending: boolean;
}

export interface AgentFigures {
  health: ReadonlyMap<string, Health>;
  /** Start of the last production run, by agent. */
  lastRuns: ReadonlyMap<string, string>;
}

type Named = Pick<Agent, 'id' | 'name' | 'description' | 'project'>;

/** Returns the agents with each word of the text in the name, the description or the project. */
export function foundAgents<Each extends Named>(agents: readonly Each[], text: string): readonly Each[] {
  if (text.trim() === '') return agents;
  const options = agents.map(({ id, name, description, project }) => ({
    value: id,
    label: name,
    detail: `${description} ${project ?? ''}`,
  }));
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  return matching(options, text).flatMap(({ value }) => byId.get(value) ?? []);
}

/** Agents without the figure come last in both directions. */
export function orderedAgents<Each extends Named>(
  agents: readonly Each[],
  { sort, descending }: AgentOrder,
  figures: AgentFigures,
): readonly Each[] {
  const figureOf = ({ id, name }: Each): string | number | undefined => {
    if (sort === 'name') return name;
    if (sort === 'last_run') return figures.lastRuns.get(id);
    const health = figures.health.get(id);
    return sort === 'cost' ? health && Number(health.costs[0]?.amount ?? 0) : health?.[sort];
  };
  return [...agents].sort((one, other) => {
    const [a, b] = [figureOf(one), figureOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return (descending ? -1 : 1) * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b));
  });
}
