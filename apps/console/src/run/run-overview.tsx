import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { aas, type Run } from '../data/api.js';
import type { Search } from '../data/search.js';
import { failureStep, pathText, stepName } from '../live/trace-rows.js';
import type { TraceStore } from '../live/trace-store.js';
import { JsonView } from '../ui/json-view.js';
import { Facts } from '../ui/page.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { Explanation } from './explanation.js';
import { RunFiles } from './run-files.js';
import styles from './run.module.css';

type RunQuery = NonNullable<Parameters<typeof aas.runs.list>[0]>;

const MAX_WRITES = 20;

/** Content of the inspector while no step is selected. */
export function RunOverview({ run, store }: { run: Run; store: TraceStore }): ReactNode {
  useSyncExternalStore(store.subscribe, store.getVersion);
  const failed = run.error === null ? undefined : failureStep(store.steps, run.error.step);
  const labels = Object.entries(run.labels);
  return (
    <div className={styles.details}>
      <div className={styles.result}>
        <h2>Run</h2>
        {run.error !== null && (
          <div className={styles.failure}>
            <Explanation code={run.error.code} message={run.error.message} />
            {failed !== undefined && (
              <Link to="/runs/$id" params={{ id: run.id }} search={{ step: String(failed.n) }} resetScroll={false}>
                Show the step
              </Link>
            )}
          </div>
        )}
        {[...store.texts].map(([path, text]) => (
          <JsonView key={path} label={`Text so far, ${pathText(path)}`} value={text} />
        ))}
        <Rejections run={run} />
        {run.mode === 'test' && <SimulatedWrites run={run} steps={store.steps} />}
        {run.warnings.map((warning) => (
          <div key={`${warning.code} ${warning.n}`} className={styles.warning}>
            <Explanation code={warning.code} message={warning.message} />
          </div>
        ))}
        {run.output !== null && <JsonView label="Output" value={run.output} />}
      </div>
      <JsonView label="Input" value={run.input} />
      <RunFiles run={run} />
      <RelatedRuns run={run} />
      <Facts
        facts={[
          ['Trigger', <Word key="trigger" kind="trigger" value={run.trigger.type} />],
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

/** Other runs, of which a link shows the number. A list without runs has no link. */
function RelatedRuns({ run }: { run: Run }): ReactNode {
  const { id, agent, version, status } = run;
  const failed = { agent, version: String(version), status: 'failed' };
  return (
    <p className={styles.links}>
      <CountedRuns
        name={`Failed runs of version ${version}`}
        search={failed}
        query={{ agent, version, status: ['failed'] }}
        least={status === 'failed' ? 2 : 1}
      />
      <CountedRuns name="Replays of this run" search={{ replay_of: id }} query={{ replay_of: id }} />
      <CountedRuns name="Child runs" search={{ parent: id }} query={{ parent: id }} />
    </p>
  );
}

/** Counting stops here, because a page of runs contains their inputs and outputs. */
const MOST_COUNTED = 10;

interface CountedRunsProps {
  name: string;
  search: Search;
  query: RunQuery;
  /** The list is shown from this number of runs on, so that it says more than this page. */
  least?: number;
}

function CountedRuns({ name, search, query, least = 1 }: CountedRunsProps): ReactNode {
  const { data: count = '' } = useQuery({
    queryKey: ['runs', 'count', query],
    queryFn: async () => {
      const { data, next_cursor: more } = await aas.runs.list({ ...query, limit: MOST_COUNTED });
      return data.length < least ? '' : `${data.length}${more === undefined ? '' : '+'}`;
    },
  });
  if (count === '') return null;
  return (
    <Link to="/runs" search={search}>
      {name} ({count})
    </Link>
  );
}
