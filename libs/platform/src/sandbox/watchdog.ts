import { cpuUsage, memoryUsage } from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Limits of a confined process. A second thread of the same process enforces them. */
export interface WatchedLimits {
  /** Limit of the resident memory of the whole process in MiB, including buffers. */
  memoryMegabytes: number;
  /**
   * Limit of the CPU time of one call in milliseconds, as the sum of all threads. Only for processes that execute one
   * call at a time.
   */
  cpuMillis?: number;
  /** Time in milliseconds. If the event loop of the process is blocked for longer, the process is killed. */
  blockedMillis?: number;
}

interface WatchdogData extends WatchedLimits {
  /** Process id of the service. */
  parent: number;
  /** Shared counters with the indexes {@link CALLS} and {@link TURNS}. */
  counters: Int32Array;
}

/**
 * Index of a counter that is incremented when a call begins and when it ends, so it is odd while the process is busy.
 */
const CALLS = 0;
/**
 * Index of a counter that the event loop increments periodically. The counter does not change while the event loop is
 * blocked.
 */
const TURNS = 1;
const TURN_MILLIS = 200;
/** Time in milliseconds between two checks of the process. */
const LOOK_MILLIS = 100;
/** Time in milliseconds between two checks during a call whose CPU time is limited. */
const CPU_LOOK_MILLIS = 25;

/**
 * Watches this process from a second thread, because a blocked event loop cannot watch itself. Ends the process with a
 * signal that names the limit: SIGXCPU for time, SIGABRT for memory (as V8 does when the heap is full).
 * @returns a function that must be called at the start and at the end of each call
 */
export function startWatchdog(limits: WatchedLimits): () => void {
  const counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  if (limits.blockedMillis !== undefined) setInterval(() => Atomics.add(counters, TURNS, 1), TURN_MILLIS);
  const data: WatchdogData = { ...limits, parent: process.ppid, counters };
  new Worker(new URL(import.meta.url), {
    workerData: data,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  }).unref();
  return () => {
    Atomics.add(counters, CALLS, 1);
    Atomics.notify(counters, CALLS);
  };
}

/** Checks the process repeatedly. Blocks only the watchdog thread. */
function watchProcess({ memoryMegabytes, cpuMillis, blockedMillis = Infinity, parent, counters }: WatchdogData): never {
  let call = 0;
  let usedBefore = cpuUsage();
  let turn = 0;
  /**
   * Time in milliseconds for which the event loop seems to be blocked: the sum of the check intervals in which the
   * counter {@link TURNS} did not change. Elapsed time would also include times at which the machine does not run this
   * process.
   */
  let blocked = 0;
  for (;;) {
    const isTimed = cpuMillis !== undefined && call % 2 === 1;
    const interval = isTimed ? CPU_LOOK_MILLIS : LOOK_MILLIS;
    const waited = Atomics.wait(counters, CALLS, call, interval);
    const now = Atomics.load(counters, CALLS);
    if (now !== call) usedBefore = cpuUsage();
    call = now;
    const turned = Atomics.load(counters, TURNS);
    blocked = turned !== turn ? 0 : blocked + (waited === 'timed-out' ? interval : 0);
    turn = turned;
    const { user, system } = cpuUsage(usedBefore);
    if (isTimed && user + system > cpuMillis * 1_000) process.kill(process.pid, 'SIGXCPU');
    if (blocked > blockedMillis) process.kill(process.pid, 'SIGXCPU');
    if (memoryUsage.rss() > memoryMegabytes * 1024 * 1024) process.kill(process.pid, 'SIGABRT');
    // The service has ended, and this process is an orphan.
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }
}

if (!isMainThread) watchProcess(workerData as WatchdogData);
