import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { aas, type Run } from '../data/api.js';
import { useRefreshOnRuns } from '../live/changes.js';
import { stepId } from '../live/trace-rows.js';
import { useSteps } from '../run/recorded-steps.js';
import { type AnyStep, stepValues } from '../run/step-facts.js';
import { Button } from '../ui/button.js';
import { Choice } from '../ui/field.js';
import { formatInstant } from '../ui/format-values.js';
import { JsonView } from '../ui/json-view.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { word } from '../data/words.js';
import styles from './editor.module.css';

const LISTED_RUNS = 20;

export interface RunValuesProps {
  agent: string;
  /** Id of the step that contains the cursor. */
  step: string | undefined;
  onUse: (run: Run) => void;
}

/** The values that a run has recorded, of the step that contains the cursor. By default, the latest run is chosen. */
export function RunValues({ agent, step, onUse }: RunValuesProps): ReactNode {
  const [chosen, setChosen] = useState<string>();
  const queryKey = ['runs', 'editor', agent];
  useRefreshOnRuns(queryKey, agent);
  const { data: runs, error } = useQuery({
    queryKey,
    queryFn: () => aas.runs.list({ agent, limit: LISTED_RUNS }),
  });
  const id = chosen ?? runs?.data[0]?.id;
  if (runs === undefined || id === undefined)
    return (
      <Card title="Values of a run">
        <ProblemAlert error={error} />
        <p className={styles.quiet}>{runs && 'After the first run of this agent, its values appear here.'}</p>
      </Card>
    );
  return (
    <Card title="Values of a run">
      <Choice
        label="Run"
        value={id}
        onChange={setChosen}
        options={runs.data.map((run) => ({
          value: run.id,
          label: `${formatInstant(run.started_at)}, ${word('status', run.status)}`,
        }))}
      />
      <Recorded key={id} id={id} step={step} onUse={onUse} />
    </Card>
  );
}

function Recorded({ id, step, onUse }: Pick<RunValuesProps, 'step' | 'onUse'> & { id: string }): ReactNode {
  const { data: run, error } = useQuery({ queryKey: ['run', id], queryFn: () => aas.runs.get(id) });
  const { data: steps = [], error: unread } = useSteps(id, run);
  const own = steps.filter((each) => step !== undefined && stepId(each) === step && stepValues(each).length > 0);
  const last = own.at(-1);
  return (
    <>
      <ProblemAlert error={error ?? unread} />
      <div className={styles.bar}>
        <Button refusal={run === undefined ? 'The run is being read.' : null} onClick={() => run && onUse(run)}>
          Use as test input
        </Button>
        <Link to="/runs/$id" params={{ id }} search={last && { step: String(last.n) }}>
          Open run
        </Link>
      </div>
      <p className={styles.quiet} role="status">
        {sentence(step, own.length)}
      </p>
      {step === undefined && run !== undefined && <Whole run={run} />}
      {last !== undefined && <StepValues run={id} step={last} />}
    </>
  );
}

function sentence(step: string | undefined, found: number): string {
  if (step === undefined) return 'Input and output of the run. Place the cursor in a step to see its values.';
  if (found === 0) return `The run has recorded no values of the step ${step}.`;
  return found === 1 ? `Step ${step}` : `Step ${step}, the last of its ${found} calls`;
}

function Whole({ run }: { run: Run }): ReactNode {
  return (
    <>
      <JsonView label="Input" value={run.input} />
      {run.output != null && <JsonView label="Output" value={run.output} />}
    </>
  );
}

function StepValues({ run, step }: { run: string; step: AnyStep }): ReactNode {
  const { n, status } = step;
  // Only the step alone has its response.
  const { data, error } = useQuery({
    queryKey: ['run', run, 'step', String(n), status],
    queryFn: () => aas.runs.step(run, n),
    staleTime: Infinity,
  });
  const whole = (data as AnyStep | undefined) ?? step;
  return (
    <>
      <ProblemAlert error={error} />
      {stepValues(whole).map(([label, value]) => (
        <JsonView key={label} label={label} value={value} />
      ))}
      {whole.response !== undefined && <JsonView label="Response" value={whole.response} />}
    </>
  );
}
