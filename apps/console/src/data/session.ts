import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { aas, type Caller } from './api.js';

/**
 * `unknown` before the first response, `none` if the person was never signed in, `ended` if the session ended while a
 * page was open.
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
 * Call this for each response with status 401. If the person was signed in, the sign-in form opens over the page, so
 * that typed text is not lost.
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

/**
 * Returns why the person may not perform an action that needs `scope`. Returns null if they may, and while this is not
 * known yet.
 */
export function useRefusal(scope: Caller['scopes'][number]): string | null {
  const caller = useCaller();
  if (caller === undefined || caller.scopes.includes(scope)) return null;
  return `Your role (${caller.role}) lacks the scope ${scope}. Ask an admin of the workspace for this permission.`;
}

/**
 * Returns `path` without its prefix `/console`, or `/` if `path` is not a path of the console. Prevents open redirects.
 */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/console/') || /[\\\s]/.test(path)) return '/';
  return path.slice('/console'.length);
}
