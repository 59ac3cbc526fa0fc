import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { aas } from '../data/api.js';
import { StepName } from '../live/step-name.js';
import { TraceStore } from '../live/trace-store.js';
import { useTrace } from '../live/use-trace.js';
import { Card } from '../ui/page.js';
import { JsonView } from '../ui/json-view.js';
import { ProblemAlert } from '../ui/problem.js';
import { StatusIcon } from '../ui/status.js';
import { Word } from '../ui/word.js';
import styles from './approvals.module.css';

const LAST_STEPS = 8;

/** Shows the last steps of the run, and follows it as its page does. */
export function RunSoFar({ run: id }: { run: string }): ReactNode {
  const { data: run } = useQuery({ queryKey: ['run', id], queryFn: () => aas.runs.get(id) });
  const [store] = useState(() => new TraceStore());
  const failure = useTrace(id, store, run !== undefined, 'summary');
  useSyncExternalStore(store.subscribe, store.getVersion);
  return (
    <Card
      title="Run so far"
      actions={
        <Link to="/runs/$id" params={{ id }}>
          Open run
        </Link>
      }
    >
      <ProblemAlert error={failure} />
      {run && <JsonView label="Input" value={run.input} />}
      <ol className={styles.steps}>
        {store.steps.slice(-LAST_STEPS).map((step) => (
          <li key={step.id}>
            <StatusIcon value={step.status} />
            <Link to="/runs/$id" params={{ id }} search={{ step: String(step.n) }}>
              <StepName step={step} />
            </Link>
            <Word kind="status" value={step.status} />
          </li>
        ))}
      </ol>
    </Card>
  );
}
