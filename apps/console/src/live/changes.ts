import { useEffect, useSyncExternalStore } from 'react';
import { aas, ApiError, isSignedOut } from '../data/api.js';
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
const runListeners = new Set<(runs: Changes['runs_changed']) => void>();

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
  if (data !== null) take(data);
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
    const changes = await aas.changes.read(cursor === undefined ? {} : { since: cursor });
    if (changes !== undefined) take(changes);
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

function take(changes: Changes): void {
  const before = latest;
  latest = changes;
  cursor = changes.next;
  for (const listener of listeners) listener();
  if (before !== undefined && approvalsOf(before) !== approvalsOf(changes))
    void queryClient.invalidateQueries({ queryKey: ['approvals'] });
  for (const { id } of changes.agents_changed) void queryClient.invalidateQueries({ queryKey: ['agent', id] });
  if (changes.agents_changed.length > 0) void queryClient.invalidateQueries({ queryKey: ['agents'] });
  for (const { id } of changes.runs_changed) void queryClient.invalidateQueries({ queryKey: ['run', id], exact: true });
  if (changes.runs_changed.length > 0) for (const listener of runListeners) listener(changes.runs_changed);
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

/** When the change feed reports changed runs, calls `listener` with them. Returns a function that unsubscribes. */
export function onRunsChanged(listener: (runs: Changes['runs_changed']) => void): () => void {
  runListeners.add(listener);
  return () => runListeners.delete(listener);
}

/**
 * When a run changes, reads again all queries whose keys begin with `queryKey`. If `agent` is set, reacts only to runs
 * of this agent.
 */
export function useRefreshOnRuns(queryKey: readonly unknown[], agent?: string): void {
  const text = JSON.stringify(queryKey);
  useEffect(
    () =>
      onRunsChanged((changed) => {
        if (agent === undefined || changed.some((run) => run.agent === agent))
          void queryClient.invalidateQueries({ queryKey });
      }),
    // The effect depends on the text of `queryKey`, because `queryKey` is a new object in each render.
    [text, agent],
  );
}
