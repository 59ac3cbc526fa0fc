import { AsyncLocalStorage } from 'node:async_hooks';

/** What a log line should say about the work that it belongs to. */
export interface RequestContext {
  requestId?: string;
  workspaceId?: string;
  runId?: string;
  /** W3C Trace Context of the span that the work belongs to; only while traces are sent. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and everything it starts, with `context` on top of the context that is already there. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

/** Adds what became known later, such as the workspace after authentication. Without a context it has no effect. */
export function extendContext(more: RequestContext): void {
  const store = storage.getStore();
  if (store) Object.assign(store, more);
}

/** A copy of the present context; empty outside of any. */
export function currentContext(): RequestContext {
  return { ...storage.getStore() };
}
