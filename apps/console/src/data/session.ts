import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { aas, type Caller } from './api.js';

/** `unknown` until the first answer; `ended` if a page was open when its session ended. */
type SessionState = 'unknown' | 'open' | 'none' | 'ended';

let state: SessionState = 'unknown';
const listeners = new Set<() => void>();

function become(next: SessionState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Called for each answer 401. A person who had signed in signs in over the page, so that typed text stays. */
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

/** Resolves when the person has signed in over the page, or when `signal` aborts. */
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

/** The signed-in person; undefined until the service has answered. */
export function useCaller(): Caller | undefined {
  return useQuery({ queryKey: CALLER, queryFn: getCaller, staleTime: Infinity }).data;
}

async function getCaller(): Promise<Caller> {
  const caller = await aas.me.get();
  reportSignedIn();
  return caller;
}

/** Why the person may not do what needs the scope; null if they may, or while it is not known yet. */
export function useRefusal(scope: Caller['scopes'][number]): string | null {
  const caller = useCaller();
  if (caller === undefined || caller.scopes.includes(scope)) return null;
  return `Your role (${caller.role}) lacks the scope ${scope}. Ask an admin of the workspace for it.`;
}

/** `path` if it is a path of the console, else its first page. Protects from links that lead elsewhere. */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/console/') || /[\\\s]/.test(path)) return '/';
  return path.slice('/console'.length);
}
