import { CommandRefused } from './command-refused.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Returns a signal that aborts at the first stop signal of the operating system. Its reason is an error with a message
 * for the user. The command can then clean up.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of STOP_SIGNALS)
    process.once(name, () => stopping.abort(new CommandRefused(`Stopped by ${name}. Nothing was changed.`)));
  return stopping.signal;
}
