import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Agent } from '../data/api.js';
import { StatusIcon } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { word } from '../data/words.js';
import styles from './agents.module.css';

const STALE_MILLIS = 60_000;

/** The last production run. Test runs, such as those of an evaluation, are not counted beside it either. */
const lastRunOf = (id: string) =>
  queryOptions({
    queryKey: ['runs', 'of', id, 'last'],
    queryFn: () => aas.runs.list({ agent: id, mode: 'production', limit: 1 }),
    staleTime: STALE_MILLIS,
  });

/** Returns the start of the last production run of each agent. Agents without a run are left out. */
export function useLastRuns(agents: readonly Agent[]): ReadonlyMap<string, string> {
  const reads = useQueries({ queries: agents.map(({ id }) => lastRunOf(id)) });
  return new Map(
    agents.flatMap(({ id }, index) => {
      const run = reads[index]?.data?.data[0];
      return run ? [[id, run.started_at] as const] : [];
    }),
  );
}

export function LastRun({ agent: { id } }: { agent: Agent }): ReactNode {
  const { data } = useQuery(lastRunOf(id));
  const [run] = data?.data ?? [];
  if (run === undefined) return data === undefined ? null : <span className={styles.second}>never</span>;
  return (
    <Link to="/runs/$id" params={{ id: run.id }} className={styles.lastRun}>
      <StatusIcon value={run.status} />
      <span className="visually-hidden">{word('status', run.status)}, </span>
      <Time at={run.started_at} />
    </Link>
  );
}

/** Shows when the agent next starts on a schedule. If no start is scheduled, shows the types of its triggers. */
export function NextFire({ agent }: { agent: Agent }): ReactNode {
  const hasSchedule = agent.triggers.some(({ type }) => type === 'schedule');
  const { data } = useQuery({
    queryKey: ['agent', agent.id, 'triggers'],
    queryFn: () => aas.triggers.list(agent.id),
    staleTime: STALE_MILLIS,
    enabled: hasSchedule,
  });
  const [next] = (data?.data ?? []).flatMap(({ next_fire_at: at }) => at ?? []).sort();
  if (next !== undefined) return <Time at={next} />;
  const kinds = [...new Set(agent.triggers.map(({ type }) => word('trigger', type)))].join(', ');
  return <span className={styles.second}>{kinds === '' ? 'on request' : `by ${kinds}`}</span>;
}
