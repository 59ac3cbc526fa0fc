import { CommandRefused } from './command-refused.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts with a message for the user at the first stop signal, so that the command can clean up. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of STOP_SIGNALS)
    process.once(name, () => stopping.abort(new CommandRefused(`Stopped by ${name}. Nothing was changed.`)));
  return stopping.signal;
}
