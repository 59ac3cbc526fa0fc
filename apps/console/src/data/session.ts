import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { word } from './words.js';
import { aas, type Caller, type Workspace } from './api.js';

/**
 * `unknown` until the API has responded, `open` if the person is signed in, `none` if the person has not signed in
 * since the page was loaded, and `ended` if the session ended while the page was open.
 */
type SessionState = 'unknown' | 'open' | 'none' | 'ended';

let state: SessionState = 'unknown';
const listeners = new Set<() => void>();

function become(next: SessionState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

/**
 * Call this for each response with status 401. If a session was open, the sign-in form appears over the page, so that
 * typed text is not lost. Otherwise the sign-in page opens.
 */
export function reportSignedOut(): void {
  become(state === 'open' || state === 'ended' ? 'ended' : 'none');
}

export function reportSignedIn(): void {
  become('open');
}

export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribe, () => state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when the person has signed in, or when `signal` aborts. */
export function untilSignedIn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (state !== 'open' && !signal.aborted) return;
      unsubscribe();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const unsubscribe = subscribe(check);
    signal.addEventListener('abort', check);
    check();
  });
}

export const CALLER = ['caller'] as const;

/** Returns the signed-in person, or undefined until the API has responded. */
export function useCaller(): Caller | undefined {
  return useQuery({ queryKey: CALLER, queryFn: getCaller, staleTime: Infinity }).data;
}

async function getCaller(): Promise<Caller> {
  const caller = await aas.me.get();
  reportSignedIn();
  return caller;
}

export const WORKSPACE = ['workspace'] as const;

export function useWorkspace(): Workspace | undefined {
  return useQuery({ queryKey: WORKSPACE, queryFn: () => aas.workspace.get(), staleTime: 60_000 }).data;
}

/**
 * Returns the reason why the person may not perform an action that requires `scope`. Returns null if the person has the
 * scope, or while the scopes are loading.
 */
export function useRefusal(scope: Caller['scopes'][number]): string | null {
  const caller = useCaller();
  if (caller === undefined || caller.scopes.includes(scope)) return null;
  return `Your role (${word('role', caller.role)}) may not ${word('scope', scope)} (${scope}). Ask an admin of the workspace for this permission.`;
}

/**
 * Returns `path` without its prefix `/console`. Returns `/` if `path` is not a path of the console, so that a link
 * cannot redirect the person to another website.
 */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/console/') || /[\\\s]/.test(path)) return '/';
  return path.slice('/console'.length);
}
