import { setMaxListeners } from 'node:events';

/** A controller whose signal may have any number of listeners. Node warns of a leak above ten. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
