import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { StepName } from '../live/step-name.js';
import { Card } from '../ui/page.js';
import { JsonView } from '../ui/json-view.js';
import { StatusIcon } from '../ui/status.js';
import { Word } from '../ui/word.js';
import styles from './approvals.module.css';

const LAST_STEPS = 8;

export function RunSoFar({ run: id }: { run: string }): ReactNode {
  const { data: run } = useQuery({ queryKey: ['run', id], queryFn: () => aas.runs.get(id) });
  const { data: trace } = useQuery({ queryKey: ['run', id, 'trace'], queryFn: () => aas.runs.trace(id) });
  return (
    <Card
      title="Run so far"
      actions={
        <Link to="/runs/$id" params={{ id }}>
          Open run
        </Link>
      }
    >
      {run && <JsonView label="Input" value={run.input} />}
      <ol className={styles.steps}>
        {trace?.steps.slice(-LAST_STEPS).map((step) => (
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
