import { CommandRefused } from './command-refused.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Returns an AbortSignal that aborts at the first stop signal of the operating system, so that the command can clean
 * up. The abort reason is an error with a message for the user.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of STOP_SIGNALS)
    process.once(name, () => stopping.abort(new CommandRefused(`Stopped by ${name}. Nothing was changed.`)));
  return stopping.signal;
}
