import { useEffect, useSyncExternalStore } from 'react';
import { aas, ApiError, isSignedOut, type Run } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { reportSignedOut } from '../data/session.js';

export type Changes = NonNullable<Awaited<ReturnType<typeof aas.changes.read>>>;

/**
 * Poll interval of the change feed. If one tab of the browser receives a response, the interval starts again in all
 * tabs.
 */
const EVERY_MILLIS = 5_000;
/**
 * Milliseconds that this tab adds to the poll interval. They are derived from the time at which the tab was opened, so
 * they differ between tabs. One tab therefore sends its request first, and the others receive the response from it.
 */
const OWN_MILLIS = performance.timeOrigin % 1_500;

let latest: Changes | undefined;
let cursor: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;
/** Channel on which tabs share responses of the change feed. The message `null` means that nothing has changed. */
const otherTabs = new BroadcastChannel('console-changes');
const listeners = new Set<() => void>();
/** Runs that changed, or undefined if any run may have changed. */
type ChangedRuns = Changes['runs_changed'] | undefined;
const runListeners = new Set<(runs: ChangedRuns) => void>();

/** Adds a listener for changes. The tab polls while it is visible and has a listener. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    document.addEventListener('visibilitychange', onVisibility);
    otherTabs.addEventListener('message', onShared);
    void ask();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener('visibilitychange', onVisibility);
    otherTabs.removeEventListener('message', onShared);
    clearTimeout(timer);
  };
}

function onVisibility(): void {
  if (!document.hidden) void ask();
}

/**
 * Handles a response that another tab has shared. A hidden tab ignores the response. When this tab becomes visible, it
 * requests all changes since the last response that it has handled.
 */
function onShared({ data }: MessageEvent<Changes | null>): void {
  if (document.hidden) return;
  if (data !== null) take(data, cursor);
  if (!isAsking) askLater();
}

function askLater(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void ask(), EVERY_MILLIS + OWN_MILLIS);
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  if (isAsking || document.hidden) return;
  isAsking = true;
  try {
    const since = cursor;
    const changes = await aas.changes.read(since === undefined ? {} : { since });
    if (changes !== undefined) take(changes, since);
    otherTabs.postMessage(changes ?? null);
  } catch (error) {
    if (isSignedOut(error)) reportSignedOut();
    if (error instanceof ApiError && /cursor/.test(error.code)) startOver();
  } finally {
    isAsking = false;
    askLater();
  }
}

/**
 * Reads all data of the page again. Called if the API rejects the cursor of the change feed, for example as expired.
 */
function startOver(): void {
  cursor = undefined;
  void queryClient.invalidateQueries();
}

/** Without `since`, the response lists no changes. Runs may have changed after the page had read them. */
function take(changes: Changes, since: string | undefined): void {
  const before = latest;
  latest = changes;
  cursor = changes.next;
  for (const listener of listeners) listener();
  if (before !== undefined && approvalsOf(before) !== approvalsOf(changes))
    void queryClient.invalidateQueries({ queryKey: ['approvals'] });
  for (const { id } of changes.agents_changed) void queryClient.invalidateQueries({ queryKey: ['agent', id] });
  if (changes.agents_changed.length > 0) void queryClient.invalidateQueries({ queryKey: ['agents'] });
  for (const { id } of changes.runs_changed) void queryClient.invalidateQueries({ queryKey: ['run', id], exact: true });
  const changed = since === undefined ? undefined : changes.runs_changed;
  if (changed?.length !== 0) for (const listener of runListeners) listener(changed);
}

function approvalsOf({ approvals_open: open, approvals_mine: mine, approvals_mine_test: test }: Changes): string {
  return `${open} ${mine} ${test}`;
}

export function useChanges(): Changes | undefined {
  return useSyncExternalStore(subscribe, () => latest);
}

/** Returns the number of approvals of production runs that wait for the person. */
export function useWaitingApprovals(): number {
  const changes = useChanges();
  return changes ? changes.approvals_mine - changes.approvals_mine_test : 0;
}

/** Calls `listener` when runs have changed, or may have. Returns a function that unsubscribes. */
export function onRunsChanged(listener: (runs: ChangedRuns) => void): () => void {
  runListeners.add(listener);
  return () => runListeners.delete(listener);
}

/**
 * When a run changes, reads again all lists of runs whose query keys begin with `queryKey`. If `agent` is set, reacts
 * only to runs of this agent.
 */
export function useRefreshOnRuns(queryKey: readonly unknown[], agent?: string): void {
  const text = JSON.stringify(queryKey);
  useEffect(
    () =>
      onRunsChanged((changed) => {
        if (changed === undefined || agent === undefined || changed.some((run) => run.agent === agent))
          void readAgain(queryKey, changed);
      }),
    // The effect depends on the text of `queryKey`, because `queryKey` is a new object in each render.
    [text, agent],
  );
}

/** Waits for a response that is on its way, because the API may have read it before the change. */
export async function whenRead(queryKey: readonly unknown[]): Promise<void> {
  if (queryClient.isFetching({ queryKey }) > 0)
    await queryClient.refetchQueries({ queryKey }, { cancelRefetch: false });
}

async function readAgain(queryKey: readonly unknown[], changed: ChangedRuns): Promise<void> {
  await whenRead(queryKey);
  const lists = queryClient.getQueriesData<{ data: readonly Pick<Run, 'ended_at'>[] }>({ queryKey });
  const isOpen = lists.some(([, list]) => list?.data.some(({ ended_at: end }) => end === null));
  if (changed !== undefined || isOpen) await queryClient.invalidateQueries({ queryKey });
}
