import { type ReactNode, useSyncExternalStore } from 'react';
import type { Run } from '../data/api.js';
import { pathText } from '../live/trace-rows.js';
import type { TraceStore } from '../live/trace-store.js';
import { Button } from '../ui/button.js';
import { Disclosure, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { placeOf } from './earlier-turns.js';
import { OfferedTools, SystemPrompt, TurnView } from './turn-view.js';
import styles from './turn-view.module.css';
import { useTranscript } from './turns.js';

/** The conversations of the run with models, to read from top to bottom. */
export function Transcript({ run, store }: { run: Run; store: TraceStore }): ReactNode {
  useSyncExternalStore(store.subscribe, store.getVersion);
  const answered = store.steps.filter(({ type, duration_ms: millis }) => type === 'model_call' && millis !== null);
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useTranscript(run.id, answered.length);
  const turns = data?.pages.flatMap((page) => page.turns) ?? [];
  return (
    <section className={styles.transcript} aria-label="Transcript">
      <ProblemAlert error={error} />
      {data !== undefined && turns.length === 0 && (
        <Empty title="No model was called">The transcript shows the requests to models, and their answers.</Empty>
      )}
      {turns.map((turn, at) => (
        <div key={turn.n} className={styles.conversation}>
          {(at === 0 || placeOf(turn.path) !== placeOf(turns[at - 1]?.path ?? '')) && (
            <h2>{pathText(placeOf(turn.path)) || run.agent_name}</h2>
          )}
          {turn.prompt !== null && (
            <Disclosure summary={`System prompt and tools (${turn.prompt.tools.length})`}>
              <SystemPrompt prompt={turn.prompt} />
              <OfferedTools prompt={turn.prompt} />
            </Disclosure>
          )}
          <TurnView run={run.id} turn={turn} />
        </div>
      ))}
      {hasNextPage && (
        <div>
          <Button
            refusal={isFetchingNextPage ? 'The next turns are being read.' : null}
            onClick={() => void fetchNextPage()}
          >
            Show the next turns
          </Button>
        </div>
      )}
    </section>
  );
}
