import { useSyncExternalStore } from 'react';

/** Time at which the connection to the service was lost, in milliseconds since 1970. Null while it works. */
let lostAt: number | null = null;
const listeners = new Set<() => void>();

function become(next: number | null): void {
  if (next === lostAt) return;
  lostAt = next;
  for (const listener of listeners) listener();
}

/** Statuses with which a proxy answers for a service that it cannot reach. */
const UNREACHED: ReadonlySet<number> = new Set([502, 504]);

/**
 * Like `fetch`. Each request of the console goes through it, so the state of the connection follows from all of them.
 * A request that the console aborts says nothing about the connection, and neither does the response to a request that
 * was sent before the connection was lost.
 */
export async function watchedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now();
  try {
    const response = await (firstResponse(input) ?? fetch(input, init));
    if (UNREACHED.has(response.status)) become(lostAt ?? Date.now());
    else if (lostAt === null || sentAt >= lostAt) become(null);
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) become(lostAt ?? Date.now());
    throw error;
  }
}

/** Returns the response that `first-request.ts` has requested. Each response is returned once. */
function firstResponse(input: string | URL | Request): Promise<Response> | undefined {
  const first = globalThis.firstRequest;
  if (first?.url !== input) return undefined;
  globalThis.firstRequest = undefined;
  return first.response;
}

/** Returns the time at which the connection was lost, in milliseconds since 1970, or null while it works. */
export function useLostConnection(): number | null {
  return useSyncExternalStore(subscribe, () => lostAt);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `listener` each time a lost connection works again. */
export function onReconnected(listener: () => void): void {
  let wasLost = false;
  subscribe(() => {
    if (wasLost && lostAt === null) listener();
    wasLost = lostAt !== null;
  });
}

/** Resolves when the connection works, at once if it does now. */
export function untilConnected(): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (lostAt !== null) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = subscribe(check);
    check();
  });
}

/** The code of a page could not be loaded. The browser remembers this until the page is loaded again. */
export class CodeNotLoaded extends Error {
  constructor(cause: unknown) {
    super('The code of the page could not be loaded.', { cause });
  }
}

const RELOADED = 'console-reloaded';

/**
 * As soon as there is a connection, loads the page again, once for each address. Resolves if that has not helped, for
 * example because the console was updated meanwhile.
 */
export async function reloadWhenConnected(): Promise<void> {
  await untilConnected();
  if (sessionStorage.getItem(RELOADED) === location.href) {
    sessionStorage.removeItem(RELOADED);
    return;
  }
  sessionStorage.setItem(RELOADED, location.href);
  location.reload();
}
