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
import { comparedTitles, differenceSummary, isDifferentResult, resultOf } from './comparison-text.js';
import styles from './comparison.module.css';
import { MAX_STEPS, useSteps } from './recorded-steps.js';
import { compareTraces, isDifferent } from './trace-comparison.js';

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
  const titles = comparedTitles(other.data, run);
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
        <div className={styles.toolbar} role="status">
          <strong>
            {isReading || !other.data
              ? 'Reading both traces …'
              : differenceSummary(other.data, run, { all: rows.length, different: different.length })}
          </strong>
          <span className={styles.buttons}>
            <Button look="quiet" aria-pressed={isAll} onClick={() => set({ show: isAll ? undefined : 'all' })}>
              Steps without a difference
            </Button>
            <Button onClick={() => set({ compare: undefined, show: undefined })}>Close comparison</Button>
          </span>
        </div>
        {other.data && <Output before={other.data} after={run} />}
        {!isReading && (
          <ol className={styles.lines} aria-label="Comparison">
            {shown.map((row) => (
              <ComparedLine
                key={row.key}
                row={row}
                isOpenFirst={different.length <= OPEN_STEPS}
                run={run.id}
                other={otherId}
              />
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

/** How many different steps are shown with all their differences. With more, a person opens those of interest. */
const OPEN_STEPS = 3;

function Output({ before, after }: { before: Run; after: Run }): ReactNode {
  if (!isDifferentResult(before, after)) return null;
  return (
    <section aria-label="Output" className={styles.output}>
      <h3>Output</h3>
      <Values member="output" before={resultOf(before)} after={resultOf(after)} />
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
          <span>
            {run.agent_name}, version {run.version}
          </span>
          {run.mode === 'test' && <Tag>test</Tag>}
          {run.duration_ms !== null && <span>active {formatDuration(run.duration_ms)}</span>}
          <span>{formatMoney(run.cost)}</span>
        </p>
      )}
    </section>
  );
}
