import { setMaxListeners } from 'node:events';

/** A controller whose signal any number of waiters may share. Node takes more than ten for a leak, and warns. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
