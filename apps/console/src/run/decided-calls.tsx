import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Run } from '../data/api.js';
import type { TraceStore } from '../live/trace-store.js';
import { Status } from '../ui/status.js';
import { type Policy, policiesAbout } from './policy-decisions.js';
import styles from './run.module.css';
import type { AnyStep } from './step-facts.js';
import { StepName } from '../live/step-name.js';
import { useRunDefinition } from './use-run-plan.js';

/** A turn can request many calls. The others are in the tree. */
const MAX_STEPS = 100;

/** What policies and people decided about the calls that the model requested in this turn. */
export function DecidedCalls({ run, turn, store }: { run: Run; turn: AnyStep; store: TraceStore }): ReactNode {
  const definition = useRunDefinition(run);
  const isOfTurn = ({ path, type }: { path?: string; type: string }): boolean =>
    type !== 'retry' && path?.startsWith(`${turn.path}.call[`) === true;
  const known = store.steps.filter(isOfTurn);
  // The steps in the store are summaries, which do not name policies.
  const { data } = useQuery({
    queryKey: ['run', run.id, 'decided', turn.n, known.map(({ n, status }) => `${n} ${status}`).join()],
    queryFn: () => aas.runs.trace(run.id, { after_n: turn.n, limit: MAX_STEPS }),
    enabled: known.length > 0,
  });
  const steps = (data?.steps ?? known).filter(isOfTurn) as AnyStep[];
  const calls = steps.filter(({ type }) => type !== 'approval' && type !== 'in_doubt');
  if (known.length === 0)
    return <p className={styles.quiet}>The model requested no call in this turn, so there was nothing to decide.</p>;
  return (
    <ul className={styles.decided}>
      {calls.map((call) => (
        <li key={call.n}>
          <h3>
            <Status value={call.status} />{' '}
            <Link
              to="/runs/$id"
              params={{ id: run.id }}
              search={(before) => ({ ...before, step: String(call.n) })}
              resetScroll={false}
            >
              <StepName step={call} />
            </Link>
          </h3>
          <Policies policies={policiesAbout(definition, call, steps, run.approvals)} />
        </li>
      ))}
    </ul>
  );
}

function Policies({ policies }: { policies: readonly Policy[] }): ReactNode {
  if (policies.length === 0) return <p className={styles.quiet}>The version has no policies.</p>;
  return (
    <ul className={styles.policies}>
      {policies.map(({ name, when, decision, hasDecided }) => (
        <li key={name} data-decided={hasDecided}>
          <strong>{name}</strong> <code>{when}</code>
          <p dir="auto">{decision}</p>
        </li>
      ))}
    </ul>
  );
}
