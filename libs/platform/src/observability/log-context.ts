import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestContext {
  requestId?: string;
  workspaceId?: string;
  runId?: string;
  /** The current span as W3C Trace Context. Set only while the process sends traces. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and all asynchronous work that it starts, with `context` merged into the current context. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

/** Has no effect outside of {@link runInContext}. */
export function extendContext(more: RequestContext): void {
  const store = storage.getStore();
  if (store) Object.assign(store, more);
}

export function currentContext(): RequestContext {
  return { ...storage.getStore() };
}
