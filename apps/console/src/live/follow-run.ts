import { aas, ApiError, isSignedOut, type Run, type TraceStep } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { reportSignedOut, untilSignedIn } from '../data/session.js';
import { onRunsChanged } from './changes.js';
import type { TraceStore } from './trace-store.js';

const POLL_MILLIS = 5_000;
/**
 * Poll interval while the run waits for something other than a worker, for example an approval. The interval can be
 * long, because the change feed reports when the run continues.
 */
const WAITING_POLL_MILLIS = 60_000;
const RETRY_MILLIS = 2_000;
const HIDDEN_MILLIS = 30_000;
const PAGE = 1_000;
/** Interval at which the run is read again while its stream sends steps, so that the header agrees with the tree. */
const RUN_MILLIS = 500;

/**
 * Keeps the trace in `store` up to date until the run has ended or `signal` aborts. Uses an event stream if a stream
 * slot is free (see `withStreamSlot`), and polls otherwise. A tab that is hidden for 30 s closes its stream. When the
 * tab is visible again, the updates continue where they stopped. The cached run is read again when the stream reports a
 * step or a status, so the stream keeps both up to date.
 * @param fields `summary` reads short steps, which is enough for a list of many steps
 */
export async function followRun(
  run: string,
  store: TraceStore,
  signal: AbortSignal,
  fields?: 'summary',
): Promise<void> {
  const isOver = (): boolean => signal.aborted || store.isEnded;
  while (!isOver()) {
    try {
      await untilShown(signal);
      await readPages(run, store, signal, fields);
      if (isOver()) return;
      const hasStreamed = await withStreamSlot(() => stream(run, store, signal));
      if (!hasStreamed) await untilChanged(run, signal);
    } catch (error) {
      if (isOver()) return;
      if (isSignedOut(error)) {
        reportSignedOut();
        await untilSignedIn(signal);
      } else if (isRefused(error)) throw error;
      else await pause(RETRY_MILLIS, signal);
    }
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}

/**
 * Reads summaries of the steps that the store lacks, and of steps that can still change. When a person opens a step,
 * the inspector reads all fields of this step.
 */
async function readPages(run: string, store: TraceStore, signal: AbortSignal, fields?: 'summary'): Promise<void> {
  // The run is read before its steps. If the run has ended, it gets no further steps, so the loop below reads all of
  // them.
  const { ended_at: endedAt } = await readRun(run);
  let after: number | undefined = store.settledUntil();
  while (after !== undefined) {
    const query = { limit: PAGE, after_n: after, ...(fields && { fields }) };
    const page = await aas.runs.trace(run, query, { signal });
    store.put(page.steps);
    after = page.next_after_n;
  }
  store.markRead();
  if (endedAt !== null) store.end();
}

/** Reads the run. Uses the cached run unless the change feed or the stream has reported a change. */
function readRun(run: string): Promise<Run> {
  return queryClient.query({ queryKey: ['run', run], queryFn: () => aas.runs.get(run), staleTime: Infinity });
}

/**
 * Names of the locks for the stream slots. A tab needs a slot to open an event stream. A browser opens at most six
 * HTTP/1.1 connections to a server, for all tabs together. Two slots therefore leave four connections for requests.
 */
const SLOTS = ['console-stream-1', 'console-stream-2'];

/**
 * Runs `work` while this tab holds one of the two stream slots of the browser. Returns false at once if no slot is
 * free, or if the browser offers no Web Locks API, as on pages served over plain HTTP.
 */
async function withStreamSlot(work: () => Promise<void>): Promise<boolean> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks === undefined) return false;
  for (const name of SLOTS) {
    const isDone = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock === null) return false;
      await work();
      return true;
    });
    if (isDone) return true;
  }
  return false;
}

async function stream(run: string, store: TraceStore, outer: AbortSignal): Promise<void> {
  const hidden = new AbortController();
  const signal = AbortSignal.any([outer, hidden.signal]);
  const unwatch = whenHidden(() => hidden.abort());
  try {
    for await (const event of aas.runs.follow(run, { afterN: store.settledUntil(), signal })) take(run, store, event);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unwatch();
  }
}

type RunEvent = { type: string; data: unknown };

function take(run: string, store: TraceStore, { type, data }: RunEvent): void {
  if (type === 'step') {
    const step = data as TraceStep;
    store.put([step]);
    if (step.type === 'approval' || step.type === 'in_doubt') refresh(run);
    else refreshSoon(run);
  } else if (type === 'text') {
    const { path, text } = data as { path: string; text: string };
    store.addText(path, text);
  } else {
    if (type === 'end') store.end();
    refresh(run);
  }
}

const soon = new Map<string, ReturnType<typeof setTimeout>>();

/** Reads the run again, at most once in `RUN_MILLIS`. */
function refreshSoon(run: string): void {
  if (!soon.has(run))
    soon.set(
      run,
      setTimeout(() => refresh(run), RUN_MILLIS),
    );
}

function refresh(run: string): void {
  clearTimeout(soon.get(run));
  soon.delete(run);
  void queryClient.invalidateQueries({ queryKey: ['run', run], exact: true });
}

/** Resolves when the change feed reports a change of the run, or after the poll interval. */
async function untilChanged(run: string, signal: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const unsubscribe = onRunsChanged((runs) => {
    if (runs?.some(({ id }) => id === run) === true) changed.abort();
  });
  const known = queryClient.getQueryData<Run>(['run', run]);
  const isWaiting = known?.waiting !== null && known?.waiting?.for !== 'worker';
  await pause(isWaiting ? WAITING_POLL_MILLIS : POLL_MILLIS, AbortSignal.any([signal, changed.signal]));
  unsubscribe();
}

function whenHidden(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(act, HIDDEN_MILLIS);
  };
  onChange();
  document.addEventListener('visibilitychange', onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onChange);
  };
}

function untilShown(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const listening = new AbortController();
    const done = (): void => {
      if (document.hidden && !signal.aborted) return;
      listening.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', done, { signal: listening.signal });
    signal.addEventListener('abort', done, { signal: listening.signal });
  });
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, millis);
    signal.addEventListener('abort', done);
  });
}
