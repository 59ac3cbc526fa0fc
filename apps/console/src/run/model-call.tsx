import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../data/api.js';
import { one, type Search } from '../data/search.js';
import type { TraceStore } from '../live/trace-store.js';
import { CopyButton } from '../ui/copy-button.js';
import { formatCount } from '../ui/format-values.js';
import { JsonTree } from '../ui/json-tree.js';
import { JsonView } from '../ui/json-view.js';
import { Disclosure, Facts } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Tabs } from '../ui/tabs.js';
import { DecidedCalls } from './decided-calls.js';
import styles from './run.module.css';
import type { AnyStep } from './step-facts.js';
import { EarlierMessages, OfferedTools, SystemPrompt, TurnView } from './turn-view.js';
import type { Turn } from './transcript-types.js';
import { useTurn } from './turns.js';

const TABS = [
  { value: 'summary', label: 'Summary' },
  { value: 'messages', label: 'Messages' },
  { value: 'tools', label: 'Tools' },
  { value: 'request', label: 'Request' },
  { value: 'policies', label: 'Policies' },
  { value: 'raw', label: 'Raw' },
];

interface ModelCallProps {
  run: Run;
  step: AnyStep;
  store: TraceStore;
  /** The facts of the step, which do not need the transcript. */
  children: ReactNode;
}

/** The tab is part of the address. */
export function ModelCall({ run, step, store, children }: ModelCallProps): ReactNode {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const tab = TABS.find(({ value }) => value === one(search.tab))?.value ?? 'summary';
  const { turn, error } = useTurn(run.id, step.n, step.status);
  const other = useTurn(run.id, turn?.prompt_n === step.n ? null : turn?.prompt_n, '');
  const told = {
    run: run.id,
    wholeRun: run,
    step,
    store,
    turn: turn ?? null,
    prompt: turn?.prompt ?? other.turn?.prompt ?? null,
  };
  const select = (value: string): void =>
    void navigate({
      to: '/runs/$id',
      params: { id: run.id },
      search: { ...search, tab: value },
      replace: true,
      resetScroll: false,
    });
  return (
    <Tabs label="Model call" tabs={TABS} selected={tab} onSelect={select}>
      <ProblemAlert error={error ?? other.error} />
      {tab === 'summary' && children}
      {PANELS[tab]?.(told)}
    </Tabs>
  );
}

interface Told {
  run: string;
  wholeRun: Run;
  step: AnyStep;
  store: TraceStore;
  turn: Turn | null;
  prompt: Turn['prompt'];
}

const PANELS: Readonly<Record<string, (told: Told) => ReactNode>> = {
  summary: ({ step, turn }) => (
    <>
      <TokenParts usage={step.usage} />
      {turn?.answer?.reasoning !== undefined && <JsonView label="Reasoning" value={turn.answer.reasoning} />}
      <Answer step={step} turn={turn} />
    </>
  ),
  messages: ({ run, turn, prompt }) => (
    <>
      {prompt && turn?.prompt_n === turn?.n && <SystemPrompt prompt={prompt} />}
      {prompt && turn?.prompt_n !== turn?.n && (
        <Disclosure summary="System prompt">
          <SystemPrompt prompt={prompt} />
        </Disclosure>
      )}
      {turn && <EarlierMessages run={run} turn={turn} />}
      {turn && <TurnView run={run} turn={turn} />}
      <p>
        <Link
          to="/runs/$id"
          params={{ id: run }}
          search={(before) => ({ ...before, view: 'transcript' })}
          resetScroll={false}
        >
          Read the whole transcript
        </Link>
      </p>
    </>
  ),
  tools: ({ prompt }) => (prompt ? <OfferedTools prompt={prompt} /> : <p className={styles.quiet}>Not recorded.</p>),
  request: ({ step, turn, prompt }) => (
    <>
      <JsonTree label="Request" value={requestOf(step, turn, prompt)} />
      <JsonTree label="Response" value={turn?.answer} />
    </>
  ),
  policies: ({ wholeRun, step, store }) => <DecidedCalls run={wholeRun} turn={step} store={store} />,
  raw: ({ step, turn }) => <Raw value={{ step, turn }} />,
};

function Answer({ step, turn }: { step: AnyStep; turn: Turn | null }): ReactNode {
  const text = turn?.answer?.text;
  return <JsonView label="Answer" value={text === undefined || text === '' ? (step.summary ?? '') : text} />;
}

/** Tokens by part. The input includes the cached tokens, and the output the reasoning, so these parts are subtracted. */
function TokenParts({ usage }: { usage: unknown }): ReactNode {
  if (typeof usage !== 'object' || usage === null) return null;
  const counts = usage as Readonly<Record<string, number | undefined>>;
  const { input_tokens: input = 0, output_tokens: output = 0 } = counts;
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0, reasoning_tokens: reasoning = 0 } = counts;
  return (
    <Facts
      facts={[
        ['New input tokens', formatCount(Math.max(0, input - read - written))],
        ['Read from the cache', formatCount(read)],
        ['Written to the cache', formatCount(written)],
        ['Reasoning tokens', formatCount(reasoning)],
        ['Answer tokens', formatCount(Math.max(0, output - reasoning))],
      ]}
    />
  );
}

function requestOf(step: AnyStep, turn: Turn | null, prompt: Turn['prompt']): object {
  return {
    provider: step.provider,
    model: step.model,
    ...(step.effort !== undefined && { effort: step.effort }),
    ...(prompt && { ...prompt, tools: prompt.tools.map(({ name }) => name) }),
    added_messages: turn?.messages ?? null,
  };
}

function Raw({ value }: { value: unknown }): ReactNode {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <div>
        <CopyButton text={text} name="Copy JSON" />
      </div>
      <JsonView label="Step and turn" value={text} />
    </>
  );
}
