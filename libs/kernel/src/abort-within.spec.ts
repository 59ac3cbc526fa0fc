import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { abortWithin } from './abort-within.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

describe('abortWithin', () => {
  it('aborts after the time, even if nothing else refers to the signal', async () => {
    const shutdown = new AbortController();
    const ends = Array.from({ length: 200 }, () => aborted(abortWithin(50, shutdown.signal)));
    // A signal that was created in this turn of the event loop is not collected yet.
    await setImmediate();
    collectGarbage();
    await Promise.all(ends);
    expect(shutdown.signal.aborted).toBe(false);
  });

  it('aborts with another signal, and with one that has aborted, for the same reason', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const signal = abortWithin(60_000, first.signal, second.signal);
    const end = once(signal, 'abort');
    second.abort('gone');
    await end;
    expect([signal.reason, abortWithin(60_000, first.signal, second.signal).reason]).toEqual(['gone', 'gone']);
  });
});
