import { cpuUsage, memoryUsage } from 'node:process';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/**
 * The process that a {@link ProcessPool} starts: it loads one module and answers each request with the result of the module's
 * `handle`. A second thread watches the process while it handles a request, because code that never yields can be ended from outside
 * only. It ends the process with a signal that names the limit: SIGXCPU for CPU time, SIGABRT for memory, which is also how V8 ends a
 * process whose heap is full.
 */

/** Milliseconds between two looks at the consumption of the process. */
const WATCH_MILLIS = 25;

export interface WatchedLimits {
  /** Of the whole process, buffers and code included. */
  bytes: number;
  /** CPU time of one request, of all threads. */
  cpuMillis: number;
}

interface Watch extends WatchedLimits {
  /** One element that grows by one when a request begins and when it ends, so it is odd while the process is busy. */
  turns: Int32Array;
}

async function serve(program: string, limits: WatchedLimits): Promise<void> {
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const watch: Watch = { ...limits, turns };
  new Worker(new URL(import.meta.url), { workerData: watch, execArgv: [] }).unref();
  const { handle } = (await import(pathToFileURL(program).href)) as { handle: (request: unknown) => Promise<unknown> };
  process.on('message', (request: unknown) => {
    nextTurn(turns);
    void answerTo(request, handle).then((answer) => {
      nextTurn(turns);
      process.send?.(answer, undefined, undefined, (error) => error && process.send?.({ failure: described(error) }));
    });
  });
  // A terminal sends them to all processes of its group. The pool decides when this one ends.
  process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
  // Whatever the module has left under way ends with the pool.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.send?.('ready');
}

function nextTurn(turns: Int32Array): void {
  Atomics.add(turns, 0, 1);
  Atomics.notify(turns, 0);
}

async function answerTo(request: unknown, handle: (request: unknown) => Promise<unknown>): Promise<unknown> {
  try {
    return { result: await handle(request) };
  } catch (error) {
    return { failure: described(error) };
  }
}

function described(error: unknown): { name: string; code: string; message: string } {
  const { name, code, message } = error as Record<string, unknown>;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { name: text(name), code: text(code), message: text(message) };
}

/** Blocks this thread, and no other. */
function watchProcess({ turns, bytes, cpuMillis }: Watch): never {
  for (;;) {
    const turn = Atomics.load(turns, 0);
    if (turn % 2 === 0) {
      Atomics.wait(turns, 0, turn);
      continue;
    }
    const begun = cpuUsage();
    while (Atomics.load(turns, 0) === turn) {
      const { user, system } = cpuUsage(begun);
      if (user + system > cpuMillis * 1_000) process.kill(process.pid, 'SIGXCPU');
      if (memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGABRT');
      Atomics.wait(turns, 0, turn, WATCH_MILLIS);
    }
  }
}

if (!isMainThread) watchProcess(workerData as Watch);
else {
  const [program = '', limits = '{}'] = process.argv.slice(2);
  await serve(program, JSON.parse(limits) as WatchedLimits);
}
