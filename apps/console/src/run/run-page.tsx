import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Fragment, lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react';
import { aas, type Run } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import { TraceStore } from '../live/trace-store.js';
import { useTrace } from '../live/use-trace.js';
import { lastList } from '../runs/last-list.js';
import { waitingText } from '../runs/waiting.js';
import { CopyButton } from '../ui/copy-button.js';
import { formatDuration, formatMoney } from '../ui/format-values.js';
import { Card, Page } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status, Tag } from '../ui/status.js';
import { Elapsed, Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { word } from '../data/words.js';
import { Inspector } from './inspector.js';
import { OpenApprovals } from './open-approvals.js';
import { RunActions } from './run-actions.js';
import { RunNeighbours } from './run-neighbours.js';
import { RunOverview } from './run-overview.js';
import { RunPlan } from './run-plan.js';
import styles from './run.module.css';
import { StepTree } from './step-tree.js';
import { useSteps } from './use-steps.js';

const Comparison = lazy(() => import('./comparison.js').then(({ Comparison: component }) => ({ default: component })));

const Transcript = lazy(() => import('./transcript.js').then(({ Transcript: component }) => ({ default: component })));

const CHILDREN_MILLIS = 15_000;

export function RunPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  return <OneRun key={id} id={id} />;
}

function OneRun({ id }: { id: string }): ReactNode {
  const search: Search = useSearch({ strict: false });
  const {
    data: run,
    error,
    isPending,
  } = useQuery({
    queryKey: ['run', id],
    queryFn: () => aas.runs.get(id),
    // The live view does not report what the child runs of the run wait for.
    refetchInterval: ({ state }) => (state.data?.waiting?.runs ? CHILDREN_MILLIS : false),
  });
  const [store] = useState(() => new TraceStore());
  useSyncExternalStore(store.subscribe, () => store.isRead);
  const failure = useTrace(id, store, run !== undefined, 'summary');
  const name = run?.agent_name;
  const compared = one(search.compare);
  return (
    <Page
      title={name === undefined ? 'Run' : `${name} ${id}`}
      heading={name}
      above={
        <>
          <Link to="/runs" search={lastList()?.search ?? {}}>
            Runs
          </Link>{' '}
          / <code>{id}</code>
        </>
      }
      busy={isPending || (run !== undefined && failure === undefined && !store.isRead)}
      error={error}
      facts={run && <RunFacts run={run} />}
      actions={
        <>
          <RunNeighbours run={id} />
          {run && <RunActions run={run} compared={compared} />}
        </>
      }
    >
      <ProblemAlert error={failure} />
      {run && compared === undefined && <RunBody run={run} store={store} search={search} />}
      {run && compared !== undefined && (
        <Suspense>
          <Comparison run={run} other={compared} />
        </Suspense>
      )}
    </Page>
  );
}

function RunFacts({ run }: { run: Run }): ReactNode {
  const waiting = waitingText(run);
  return (
    <>
      <Status value={run.status} />
      <Link to="/agents/$id" params={{ id: run.agent }}>
        version {run.version}
      </Link>
      {run.mode === 'test' && <Tag>test</Tag>}
      <Word kind="trigger" value={run.trigger.type} />
      <span>
        started <Time at={run.started_at} />
      </span>
      <span>
        {run.duration_ms === null ? (
          <>
            for <Elapsed since={run.started_at} end={null} />
          </>
        ) : (
          `active ${formatDuration(run.duration_ms)}`
        )}
      </span>
      <span>{formatMoney(run.cost)}</span>
      {waiting !== undefined && (
        <strong>
          {waiting}
          <AwaitedRuns run={run} />
        </strong>
      )}
    </>
  );
}

/** Links to the child runs that the run waits for, with what each of them waits for. */
function AwaitedRuns({ run }: { run: Run }): ReactNode {
  const runs = run.waiting?.runs ?? [];
  return runs.map(({ id, agent_name: agent, for: reason }, at) => (
    <Fragment key={id}>
      {at === 0 ? ': ' : ', '}
      <Link to="/runs/$id" params={{ id }}>
        {agent} {id}
      </Link>
      {reason !== null && `, which ${word('waiting', reason)}`}
    </Fragment>
  ));
}

function RunBody({ run, store, search }: { run: Run; store: TraceStore; search: Search }): ReactNode {
  const navigate = useNavigate();
  const step = one(search.step);
  const steps = useSteps(store);
  const change = (next: Search, replace: boolean): void =>
    void navigate({ to: '/runs/$id', params: { id: run.id }, search: next, replace, resetScroll: false });
  return (
    <>
      <OpenApprovals run={run} />
      <AwaitedCallback run={run} />
      <div className={styles.panes}>
        <RunPlan run={run} steps={steps} selected={Number(step ?? 0)} />
        <div className={styles.view}>
          <Views run={run} store={store} search={search} />
          {search.view === 'transcript' ? (
            <Suspense>
              <Transcript run={run} store={store} />
            </Suspense>
          ) : (
            <StepTree
              run={run}
              store={store}
              steps={steps}
              selected={Number(step ?? 0)}
              errorsOnly={search.errors === 'only'}
              find={one(search.find) ?? ''}
              // If a step was already selected, the new selection replaces the history entry. The Back button therefore
              // does not go through all selected steps.
              onSelect={(n) => change({ ...search, step: String(n) }, step !== undefined)}
              onErrorsOnly={(errorsOnly) => change({ ...search, errors: errorsOnly ? 'only' : undefined }, false)}
              onFind={(text) => change({ ...search, find: text === '' ? undefined : text }, true)}
            />
          )}
        </div>
        <aside className={styles.inspector} data-sheet={step !== undefined} aria-label="Inspector">
          {step === undefined ? (
            <RunOverview run={run} store={store} />
          ) : (
            <Inspector
              run={run}
              step={step}
              store={store}
              onClose={() => change({ ...search, step: undefined }, false)}
            />
          )}
        </aside>
      </div>
    </>
  );
}

/** Links to the trace and the transcript of a run that called a model. */
function Views({ run, store, search }: { run: Run; store: TraceStore; search: Search }): ReactNode {
  const hasModel = useSyncExternalStore(store.subscribe, () => store.steps.some(({ type }) => type === 'model_call'));
  if (!hasModel) return null;
  return (
    <nav className={styles.views} aria-label="View">
      {[false, true].map((transcript) => (
        <Link
          key={String(transcript)}
          to="/runs/$id"
          params={{ id: run.id }}
          search={{ ...search, view: transcript ? 'transcript' : undefined }}
          activeOptions={{ exact: true, includeSearch: true }}
          resetScroll={false}
        >
          {transcript ? 'Transcript' : 'Trace'}
        </Link>
      ))}
    </nav>
  );
}

/**
 * Shows the URL of the callback that the run waits for. Renders nothing if the API does not return this URL to the
 * person.
 */
function AwaitedCallback({ run }: { run: Run }): ReactNode {
  const { callback_url: url }: { callback_url?: string; id: string } = run;
  if (url === undefined) return null;
  return (
    <Card title="Waits for a callback">
      <p>
        The run continues when another system sends a POST request with an object to this address. It can be used once.
      </p>
      <p className={styles.callback}>
        <code>{url}</code> <CopyButton text={url} />
      </p>
    </Card>
  );
}
