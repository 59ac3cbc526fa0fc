import { Link } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { Run } from '../data/api.js';
import { failureStep, stepName } from '../live/trace-rows.js';
import type { TraceStore } from '../live/trace-store.js';
import { JsonView } from '../ui/json-view.js';
import { Facts } from '../ui/page.js';
import { Time } from '../ui/time.js';
import { RunFiles } from './run-files.js';
import styles from './run.module.css';

const MAX_WRITES = 20;

/** Content of the inspector while no step is selected. */
export function RunOverview({ run, store }: { run: Run; store: TraceStore }): ReactNode {
  useSyncExternalStore(store.subscribe, store.getVersion);
  const failed = run.error === null ? undefined : failureStep(store.steps, run.error.step);
  const labels = Object.entries(run.labels);
  return (
    <div className={styles.details}>
      <h2>Run</h2>
      {run.error !== null && (
        <div className={styles.failure}>
          <strong>{run.error.code}</strong>
          <p dir="auto">{run.error.message}</p>
          {failed !== undefined && (
            <Link to="/runs/$id" params={{ id: run.id }} search={{ step: String(failed.n) }} resetScroll={false}>
              Show the step
            </Link>
          )}
        </div>
      )}
      {[...store.texts].map(([path, text]) => (
        <JsonView key={path} label={`Text so far, ${path}`} value={text} />
      ))}
      <Rejections run={run} />
      {run.mode === 'test' && <SimulatedWrites run={run} steps={store.steps} />}
      {run.warnings.map((warning) => (
        <div key={`${warning.code} ${warning.n}`} className={styles.warning}>
          <strong>{warning.code}</strong>
          <p>{warning.message}</p>
        </div>
      ))}
      <JsonView label="Input" value={run.input} />
      {run.output !== null && <JsonView label="Output" value={run.output} />}
      <RunFiles run={run} />
      <RelatedRuns run={run} />
      <Facts
        facts={[
          ['Trigger', run.trigger.type],
          run.initiator === null ? null : ['Started by', run.initiator],
          ['Started', <Time key="started" at={run.started_at} />],
          run.ended_at === null ? null : ['Ended', <Time key="ended" at={run.ended_at} />],
          run.cancel_reason === null ? null : ['Cancelled', run.cancel_reason],
          run.replay_of === null
            ? null
            : [
                'Replay of',
                <Link key="replay" to="/runs/$id" params={{ id: run.replay_of }}>
                  {run.replay_of}
                </Link>,
              ],
          labels.length === 0 ? null : ['Labels', labels.map(([name, value]) => `${name}=${value}`).join(', ')],
        ]}
      />
    </div>
  );
}

/** Shows who rejected a call of the run, and why. */
function Rejections({ run: { approvals } }: { run: Run }): ReactNode {
  return approvals.flatMap(({ id, decisions }) =>
    decisions
      .filter(({ decision }) => decision === 'reject')
      .map(({ by, comment }) => (
        <div key={`${id} ${by}`} className={styles.failure}>
          <strong>Rejected by {by}</strong>
          {comment !== null && <p dir="auto">{comment}</p>}
          <Link to="/approvals/$id" params={{ id }}>
            Open approval
          </Link>
        </div>
      )),
  );
}

/** Says which writes had no effect on other systems, because the run has mode `test`. */
function SimulatedWrites({ run, steps }: { run: Run; steps: TraceStore['steps'] }): ReactNode {
  const simulated = steps.filter(({ status }) => status === 'simulated');
  if (simulated.length === 0) return null;
  return (
    <div className={styles.warning}>
      <strong>Simulated writes ({simulated.length})</strong>
      <ul>
        {simulated.slice(0, MAX_WRITES).map((step) => (
          <li key={step.n}>
            <Link to="/runs/$id" params={{ id: run.id }} search={{ step: String(step.n) }} resetScroll={false}>
              {stepName(step)}
            </Link>
          </li>
        ))}
        {simulated.length > MAX_WRITES && <li>and {simulated.length - MAX_WRITES} more</li>}
      </ul>
    </div>
  );
}

function RelatedRuns({ run }: { run: Run }): ReactNode {
  return (
    <p className={styles.links}>
      <Link to="/runs" search={{ agent: run.agent, version: String(run.version), status: 'failed' }}>
        Failed runs of version {run.version}
      </Link>
      <Link to="/runs" search={{ replay_of: run.id }}>
        Replays of this run
      </Link>
      <Link to="/runs" search={{ parent: run.id }}>
        Child runs
      </Link>
    </p>
  );
}
