import { setTimeout as pause } from 'node:timers/promises';

import { OperatorError } from './operator-error.js';
import type { ServiceProcess } from './service-process.js';

const LOOK_EVERY_MS = 40;
const READY_WITHIN_MS = 60_000;
/** If a service exits this many times shortly after its start, `npm start` fails. */
const HOPELESS_AFTER = 3;

/**
 * If the signal aborts, rejects with the reason of the signal.
 * @throws OperatorError if a service exits repeatedly, or the service is not ready after a minute.
 */
export async function waitUntilReady(
  address: string,
  services: readonly ServiceProcess[],
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask(`${address}/readyz`);
    if (answer.ready) return;
    const failing = services.find((service) => service.failures >= HOPELESS_AFTER);
    if (failing !== undefined)
      throw new OperatorError(
        `${failing.name} ended ${failing.failures} times. Correct the cause in its messages above, then start again.`,
      );
    if (Date.now() > deadline)
      throw new OperatorError(
        `The service is not ready after ${READY_WITHIN_MS / 1000} s. GET /readyz responds: ${answer.text}`,
      );
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function ask(url: string): Promise<{ ready: boolean; text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return { ready: response.ok, text: (await response.text()).slice(0, 500) };
  } catch (error) {
    return { ready: false, text: String(error) };
  }
}
