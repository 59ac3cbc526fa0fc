import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { aas, isNotFound, type Run } from '../data/api.js';
import type { TraceStore } from '../live/trace-store.js';
import { Button } from '../ui/button.js';
import { JsonView } from '../ui/json-view.js';
import { Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Explanation } from './explanation.js';
import { ModelCall } from './model-call.js';
import { ReplayButton } from './replay.js';
import { RetrievedDocuments } from './retrieved-documents.js';
import { StepFiles } from './run-files.js';
import styles from './run.module.css';
import { SentRequest, ToolResponse } from './sent-request.js';
import { type AnyStep, stepFacts, stepValues } from './step-facts.js';
import { StepName } from '../live/step-name.js';

export interface InspectorProps {
  run: Run;
  /** Number of the step, as text from the page URL. */
  step: string;
  store: TraceStore;
  onClose: () => void;
}

export function Inspector({ run, step: n, store, onClose }: InspectorProps): ReactNode {
  useSyncExternalStore(store.subscribe, store.getVersion);
  const known = store.steps[Number(n) - 1] as AnyStep | undefined;
  const isSettled = useSettled(n);
  // The query key contains the status. When a step has ended, the step is read again, because it then has more fields.
  const { data, error } = useQuery({
    queryKey: ['run', run.id, 'step', n, known?.status],
    queryFn: () => aas.runs.step(run.id, Number(n)),
    placeholderData: (before) => (before?.n === Number(n) ? before : undefined),
    enabled: isSettled,
    staleTime: Infinity,
  });
  const step = (data as AnyStep | undefined) ?? known;
  return (
    <div className={styles.details}>
      <div className={styles.detailsHeader}>
        <h2>{isNotFound(error) ? 'Not found' : step ? <StepName step={step} /> : 'Step'}</h2>
        <Button look="quiet" aria-label="Close step" data-shortcut="Escape" onClick={onClose}>
          <X size={16} aria-hidden />
        </Button>
      </div>
      <ProblemAlert error={error} />
      {step && <StepDetails run={run} step={step} store={store} />}
    </div>
  );
}

const SETTLE_MILLIS = 120;

/**
 * Returns true when the value has not changed for 120 ms. This delay avoids a request for each step while a person
 * moves through the steps with the arrow keys.
 */
function useSettled(value: string): boolean {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MILLIS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled === value;
}

function StepDetails({ run, step, store }: { run: Run; step: AnyStep; store: TraceStore }): ReactNode {
  const text = store.texts.get(step.path ?? '');
  const isModel = step.type === 'model_call';
  const facts = (
    <>
      <Facts facts={[['Status', <Status key="status" value={step.status} />], ...stepFacts(step)]} />
      <StepProblem problem={step.error} className={styles.failure} />
      <StepProblem problem={step.warning} className={styles.warning} />
      <StepLinks run={run} step={step} />
      {text !== undefined && <JsonView label="Text so far" value={text} />}
      {(isModel ? [] : stepValues(step)).map(([label, value]) => (
        <JsonView key={label} label={label} value={value} />
      ))}
      <SentRequest step={step} />
      <ToolResponse step={step} />
      <StepFiles run={run} step={step} />
      <RetrievedDocuments step={step} />
      {(step.type === 'tool_call' || isModel) && (
        <div>
          <ReplayButton run={run} fromStep={step.n} name="Replay from this step" />
        </div>
      )}
    </>
  );
  if (!isModel) return facts;
  return (
    <ModelCall run={run} step={step} store={store}>
      {facts}
    </ModelCall>
  );
}

/** Shows the error or the warning of a step, if it has one. */
function StepProblem({ problem, className }: { problem: unknown; className: string | undefined }): ReactNode {
  if (typeof problem !== 'object' || problem === null) return null;
  return (
    <div className={className}>
      <Explanation {...problem} />
    </div>
  );
}

/** Links to the run that the step started, to its approval, and to the step from which a replay copied it. */
function StepLinks({ run, step }: { run: Run; step: AnyStep }): ReactNode {
  const { child = step.run, approval, recorded_from: recordedFrom } = step;
  const origin = /^(run_\w+)\.(\d+)$/.exec(typeof recordedFrom === 'string' ? recordedFrom : '');
  if (typeof child !== 'string' && typeof approval !== 'string' && origin === null) return null;
  return (
    <p className={styles.links}>
      {typeof child === 'string' && child !== run.id && (
        <Link to="/runs/$id" params={{ id: child }}>
          Run of the called agent
        </Link>
      )}
      {typeof approval === 'string' && (
        <Link to="/approvals/$id" params={{ id: approval }}>
          {step.type === 'in_doubt' ? 'Open question' : 'Open approval'}
        </Link>
      )}
      {origin !== null && (
        <Link to="/runs/$id" params={{ id: origin[1] ?? '' }} search={{ step: origin[2] }}>
          Step of the replayed run
        </Link>
      )}
    </p>
  );
}
