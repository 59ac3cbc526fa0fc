import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** Limits of a confined process. A thread of the service enforces them. */
export interface WatchedLimits {
  /** Limit of the resident memory of the whole process in MiB, including buffers. */
  memoryMegabytes: number;
  /**
   * Limit of the CPU time of one call in milliseconds, as the sum of all threads. Only for processes that execute one
   * call at a time.
   */
  cpuMillis?: number;
  /**
   * CPU time in milliseconds that the process may use between two turns of its event loop. Unlike elapsed time, CPU
   * time does not depend on the load of the machine.
   */
  blockedMillis?: number;
}

/**
 * What happens in a watched process: a `call` begins, its `answer` arrives, its event loop `turn`s, or it has `ended`.
 */
export type WatchedEvent = 'call' | 'answer' | 'turn' | 'ended';

/** Message to the watchdog thread. A message with limits begins to watch a process. */
interface WatchMessage {
  pid: number;
  what: WatchedEvent | WatchedLimits;
}

/** Time in milliseconds between two checks of the processes. */
const LOOK_MILLIS = 100;
/** Time in milliseconds between two checks during a call whose CPU time is limited. */
const CPU_LOOK_MILLIS = 25;
const MIB = 1024 * 1024;

const watchedNow = new Set<number>();
let thread: Worker | undefined;

/**
 * Watches a child process from a thread of the service, because the event loop of the service may be blocked too. Ends
 * the process with a signal that names the limit: SIGXCPU for time, SIGABRT for memory (as V8 does when the heap is
 * full).
 * @param script the compiled form of this file
 * @returns a function that must be called at each event of the process
 */
export function watchProcess(pid: number, limits: WatchedLimits, script: URL): (event: WatchedEvent) => void {
  thread ??= startThread(script);
  watchedNow.add(pid);
  const send = (what: WatchMessage['what']): void => {
    if (what === 'ended') watchedNow.delete(pid);
    thread?.postMessage({ pid, what } satisfies WatchMessage);
  };
  send(limits);
  return send;
}

function startThread(script: URL): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const started = new Worker(script, { execArgv: [], resourceLimits });
  // No process runs without limits: if the thread fails, its processes end, and the next one starts a new thread.
  const endAll = (): void => {
    thread = undefined;
    for (const pid of watchedNow) endProcess(pid, 'SIGKILL');
  };
  started.on('error', () => undefined).on('exit', endAll);
  started.unref();
  return started;
}

interface Usage {
  residentBytes: number;
  cpuMillis: number;
}

/** A watched process. The numbers are its CPU time at the start of the call and at the last turn of its event loop. */
interface Watched {
  limits: WatchedLimits;
  atCall: number | undefined;
  atTurn: number;
}

/** Checks all processes repeatedly, in the watchdog thread. */
class ProcessWatch {
  private readonly watched = new Map<number, Watched>();
  private timer: NodeJS.Timeout | undefined;

  receive({ pid, what }: WatchMessage): void {
    if (typeof what === 'object') this.watched.set(pid, { limits: what, atCall: undefined, atTurn: 0 });
    else this.note(pid, what);
    this.timer ??= setTimeout(() => this.look(), LOOK_MILLIS);
  }

  private note(pid: number, event: WatchedEvent): void {
    const process = this.watched.get(pid);
    if (!process) return;
    const { cpuMillis, blockedMillis } = process.limits;
    if (event === 'ended') this.watched.delete(pid);
    else if (event === 'turn' && blockedMillis !== undefined) process.atTurn = usageOf(pid)?.cpuMillis ?? 0;
    else if (event === 'call' && cpuMillis !== undefined) process.atCall = usageOf(pid)?.cpuMillis;
    else if (event === 'answer') process.atCall = undefined;
  }

  private look(): void {
    this.timer = undefined;
    for (const [pid, process] of this.watched) {
      const usage = usageOf(pid);
      const signal = usage && signalOf(process, usage);
      if (signal) endProcess(pid, signal);
    }
    if (this.watched.size === 0) return;
    const isTimed = [...this.watched.values()].some(({ atCall }) => atCall !== undefined);
    this.timer = setTimeout(() => this.look(), isTimed ? CPU_LOOK_MILLIS : LOOK_MILLIS);
  }
}

function signalOf({ limits, atCall, atTurn }: Watched, usage: Usage): NodeJS.Signals | undefined {
  const { memoryMegabytes, cpuMillis = Infinity, blockedMillis = Infinity } = limits;
  if (usage.residentBytes > memoryMegabytes * MIB) return 'SIGABRT';
  if (atCall !== undefined && usage.cpuMillis - atCall > cpuMillis) return 'SIGXCPU';
  return usage.cpuMillis - atTurn > blockedMillis ? 'SIGXCPU' : undefined;
}

function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** Returns undefined if the process has ended. */
function usageOf(pid: number): Usage | undefined {
  try {
    return process.platform === 'linux' ? usageInProc(pid) : usageByPs(pid);
  } catch {
    return undefined;
  }
}

/** See proc_pid_stat(5). The name of the program, which may contain spaces, ends with the last parenthesis. */
function usageInProc(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
  // `utime` and `stime` are the fields 14 and 15. Linux reports them in hundredths of a second.
  return { residentBytes: Number(kibibytes) * 1024, cpuMillis: (Number(fields[11]) + Number(fields[12])) * 10 };
}

/** For other systems, for example macOS. The time has the form `[[days-]hours:]minutes:seconds`. */
function usageByPs(pid: number): Usage {
  const line = execFileSync('ps', ['-o', 'rss=,time=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  const [kibibytes = '0', time = '0'] = line.split(/\s+/);
  const [days, clock] = time.includes('-') ? time.split('-') : ['0', time];
  const seconds = (clock ?? '0').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return { residentBytes: Number(kibibytes) * 1024, cpuMillis: (Number(days) * 86_400 + seconds) * 1_000 };
}

if (!isMainThread && parentPort) {
  const watch = new ProcessWatch();
  parentPort.on('message', (message: WatchMessage) => watch.receive(message));
}
