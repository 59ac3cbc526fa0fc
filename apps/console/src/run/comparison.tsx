import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { aas, type Run } from '../data/api.js';
import type { Search } from '../data/search.js';
import { Button } from '../ui/button.js';
import { formatDuration, formatMoney } from '../ui/format-values.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import { ComparedLine, Values } from './compared-line.js';
import styles from './comparison.module.css';
import { MAX_STEPS, useSteps } from './recorded-steps.js';
import { canonical, compareTraces, isDifferent } from './trace-comparison.js';

/** Shows the traces of two runs side by side. Pairs their steps by path and marks the differences. */
export function Comparison({ run, other: otherId }: { run: Run; other: string }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const other = useQuery({ queryKey: ['run', otherId], queryFn: () => aas.runs.get(otherId) });
  const before = useSteps(otherId, other.data);
  const after = useSteps(run.id, run);
  const rows = useMemo(() => compareTraces(before.data ?? [], after.data ?? []), [before.data, after.data]);
  const different = rows.filter(isDifferent);
  const isAll = search.show === 'all';
  const shown = isAll ? rows : different;
  const error = other.error ?? before.error ?? after.error;
  const isReading = before.data === undefined || after.data === undefined;
  const titles = titlesOf(run, other.data);
  const set = (change: Search): void =>
    void navigate({ to: '/runs/$id', params: { id: run.id }, search: { ...search, ...change } });
  return (
    <>
      <ProblemAlert error={error} />
      <Card flush>
        <div className={styles.header}>
          <Side title={titles[0]} run={other.data} id={otherId} />
          <Side title={titles[1]} run={run} id={run.id} />
        </div>
        {other.data && <Result before={other.data} after={run} />}
        <div className={styles.toolbar} role="status">
          <span>{isReading ? 'Reading both traces …' : summaryOf(rows.length, different.length)}</span>
          <span className={styles.buttons}>
            <Button look="quiet" aria-pressed={isAll} onClick={() => set({ show: isAll ? undefined : 'all' })}>
              Steps without a difference
            </Button>
            <Button onClick={() => set({ compare: undefined, show: undefined })}>Close comparison</Button>
          </span>
        </div>
        {!isReading && (
          <ol className={styles.lines} aria-label="Comparison">
            {shown.map((row) => (
              <ComparedLine key={row.key} row={row} run={run.id} other={otherId} />
            ))}
          </ol>
        )}
        {!isReading && Math.max(before.data.length, after.data.length) >= MAX_STEPS && (
          <p className={styles.note}>The first {MAX_STEPS} steps of each run are compared.</p>
        )}
      </Card>
    </>
  );
}

function summaryOf(all: number, different: number): string {
  if (different === 0) return `All ${all} steps are alike.`;
  return `${different} of ${all} steps differ.`;
}

function titlesOf(run: Run, other: Run | undefined): [before: string, after: string] {
  if (run.replay_of !== null && run.replay_of === other?.id) return ['Original', 'Replay'];
  return other?.replay_of === run.id ? ['Replay', 'Original'] : ['Other run', 'This run'];
}

/** Compares what the runs returned and how long they were executed. */
function Result({ before, after }: { before: Run; after: Run }): ReactNode {
  if (before.ended_at === null || after.ended_at === null)
    return <p className={styles.note}>A run that has not ended has no result to compare yet.</p>;
  const outputs = [before.error ?? before.output, after.error ?? after.output] as const;
  const isEqual = canonical(outputs[0]) === canonical(outputs[1]);
  const [first, second] = [before.duration_ms ?? 0, after.duration_ms ?? 0];
  return (
    <section aria-label="Result">
      <p className={styles.note}>{isEqual ? 'The outputs are equal.' : 'The outputs differ:'}</p>
      {!isEqual && <Values member="output" before={outputs[0]} after={outputs[1]} />}
      <p className={styles.note}>
        {`Active ${formatDuration(first)}, then ${formatDuration(second)}: `}
        {`${formatDuration(Math.abs(second - first))} ${second < first ? 'shorter' : 'longer'}.`}
      </p>
    </section>
  );
}

function Side({ title, run, id }: { title: string; run: Run | undefined; id: string }): ReactNode {
  return (
    <section className={styles.side} aria-label={title}>
      <h2>{title}</h2>
      <Link to="/runs/$id" params={{ id }}>
        <code>{id}</code>
      </Link>
      {run && (
        <p className={styles.facts}>
          <Status value={run.status} />
          <span>version {run.version}</span>
          {run.mode === 'test' && <Tag>test</Tag>}
          {run.duration_ms !== null && <span>active {formatDuration(run.duration_ms)}</span>}
          <span>{formatMoney(run.cost)}</span>
        </p>
      )}
    </section>
  );
}
