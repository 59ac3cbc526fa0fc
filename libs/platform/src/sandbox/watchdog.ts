import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** A thread of the service enforces them. */
export interface WatchedLimits {
  memoryMegabytes: number;
  /** Only for processes that execute one call at a time. */
  cpuMillis?: number;
  /** Unlike elapsed time, CPU time does not depend on the load of the machine. */
  blockedMillis?: number;
}

export type WatchedEvent = 'call' | 'answer' | 'turn' | 'ended';

/** A message with limits begins to watch a process. */
interface WatchMessage {
  pid: number;
  what: WatchedEvent | WatchedLimits;
}

const LOOK_MILLIS = 100;
const CPU_LOOK_MILLIS = 25;
const MIB = 1024 * 1024;

const watchedNow = new Set<number>();
let thread: Worker | undefined;

/**
 * Watches a child process from a thread of the service, because the event loop of the service may be blocked too. Ends
 * the process with a signal that names the limit: SIGXCPU for time, SIGABRT for memory (as V8 does when the heap is
 * full).
 * @param script the compiled form of this file
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

interface Watched {
  limits: WatchedLimits;
  atCall: number | undefined;
  atTurn: number;
}

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
  // Linux reports them in hundredths of a second.
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
