import { errorText } from '@app/kernel';
import { loadStandaloneSettings } from '@app/installation/settings';
import { ConfigurationError } from '@app/platform/config';

import { Progress } from './progress.js';
import { Standalone } from './standalone.js';
import { readStartOptions, USAGE } from './start-options.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SAME_CTRL_C_MS = 1_000;

async function run(): Promise<number> {
  const progress = new Progress((text) => process.stdout.write(text));
  const options = readStartOptions(process.argv.slice(2));
  if (options === 'help') {
    progress.print(USAGE);
    return 0;
  }
  if ('mistake' in options) return fail(options.mistake);
  const standalone = new Standalone(loadStandaloneSettings(), options, progress);
  const stopping = new AbortController();
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal(signal, standalone, stopping, progress));
  const stop = onSignal('SIGHUP', standalone, stopping, progress);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') stop();
  });
  let status = 0;
  try {
    await standalone.start(stopping.signal);
    await stopped(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) status = fail(errorText(error));
  }
  await standalone.stop();
  if (stopping.signal.aborted) progress.say('stopped');
  return status;
}

/**
 * The first signal starts an orderly shutdown, and a later signal ends the process at once. A signal shortly after the
 * first one is ignored, because npm repeats the Ctrl-C of the terminal. SIGHUP means that the terminal or npm has
 * ended. A SIGHUP never ends the process at once.
 */
function onSignal(
  signal: (typeof STOP_SIGNALS)[number],
  standalone: Standalone,
  stopping: AbortController,
  progress: Progress,
): () => void {
  return () => {
    if (!stopping.signal.aborted) {
      progress.say(`stopping (${signal}) …`);
      stopping.abort(Date.now());
      return;
    }
    if (signal === 'SIGHUP' || Date.now() - Number(stopping.signal.reason) < SAME_CTRL_C_MS) return;
    progress.say('stopping at once');
    void standalone.kill().finally(() => process.exit(1));
  };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    // Node would end it if there were only signal listeners.
    const waiting = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(waiting);
      resolve();
    });
  });
}

function fail(message: string): number {
  process.stderr.write(`\n${message}\n`);
  return 1;
}

try {
  process.exit(await run());
} catch (error) {
  process.exit(
    fail(error instanceof ConfigurationError ? error.message : String(error instanceof Error ? error.stack : error)),
  );
}
